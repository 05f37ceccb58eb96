// Files that came through a channel and lie with the gateway. They are opened at an address that is good for this file
// and a few minutes; the page's own credential never stands in an address.
import { fieldsOf, stringOf } from '../read';
import { words } from '../../words/conversation';

const PATH = '/__openclaw__/assistant-media';

/** The address of a kept file, to be opened soon. */
export async function addressOfKept(source: string, bearer: string | undefined, ask: typeof fetch = fetch): Promise<string> {
  const query = new URLSearchParams({ source });
  const answer = await ask(`${PATH}?${query.toString()}&meta=1`, bearer === undefined ? {} : { headers: { authorization: `Bearer ${bearer}` } });
  const ticket = answer.ok ? stringOf(fieldsOf(await answer.json()).mediaTicket) : undefined;
  if (ticket === undefined) throw new Error(words.notKept);
  query.set('mediaTicket', ticket);
  return `${PATH}?${query.toString()}`;
}
