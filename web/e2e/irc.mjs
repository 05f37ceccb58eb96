// As much of an IRC server as the gateway needs to be on one: people can write to it and read what it says.
import { once } from 'node:events';
import { createServer } from 'node:net';

export class Irc {
  heard = [];
  #sockets = new Set();

  async start() {
    this.server = createServer((socket) => this.#accept(socket));
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.server.unref();
    this.port = this.server.address().port;
    return this;
  }

  get connected() {
    return this.#sockets.size > 0;
  }

  /** Somebody writes to the gateway's nick, or to a room it is in. */
  says(who, text, to = 'homard') {
    for (const socket of this.#sockets) socket.write(`:${who}!${who}@example.org PRIVMSG ${to} :${text}\r\n`);
  }

  #accept(socket) {
    let rest = '';
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', (data) => {
      const lines = (rest + data).split(/\r?\n/);
      rest = lines.pop();
      for (const line of lines) this.#line(socket, line);
    });
  }

  #line(socket, line) {
    const [word, ...words] = line.split(' ');
    if (word === 'CAP' && words[0] === 'LS') socket.write(':irc CAP * LS :\r\n');
    else if (word === 'NICK') socket.nick = words[0];
    else if (word === 'PING') socket.write(`:irc PONG irc ${words.join(' ')}\r\n`);
    else if (word === 'CAP' && words[0] === 'END') {
      for (const number of ['001', '376']) socket.write(`:irc ${number} ${socket.nick} :welcome\r\n`);
      this.#sockets.add(socket);
    } else if (word === 'PRIVMSG') this.heard.push({ to: words[0], text: line.slice(line.indexOf(' :') + 2) });
  }
}
