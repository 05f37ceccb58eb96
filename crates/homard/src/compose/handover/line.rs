//! What two gateway processes say to each other during a hand-over: lines of JSON over a socket pair.
//!
//! The first line carries the lock and the listening sockets as open files, so that neither is free for a moment.

use std::io::{self, IoSlice, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};

/// Grows when the words change; a process that speaks another one is not handed anything.
pub(super) const VERSION: u32 = 1;
/// Longest line.
const MAX_LINE: usize = 16 * 1024;
/// Most open files in the first line: the lock and the listening sockets.
const MAX_FILES: usize = 8;

/// Everything that can be said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "camelCase")]
pub(super) enum HandoverWord {
    /// The old one: here are the lock and the listening sockets; get ready.
    #[serde(rename_all = "camelCase")]
    Offer {
        version: u32,
        /// Whether a process in front of the gateway passes signals on.
        #[serde(rename = "shepherded")]
        has_parent: bool,
    },
    /// The new one: everything that can be done before the store is free is done.
    Ready { version: String },
    /// The old one: the store is closed; open it.
    Go,
    /// The new one: everybody is let in.
    Serving,
    /// The new one: it does not work.
    Failed { error: String },
}

/// One end of the line. Blocking: used on threads that may wait.
#[derive(Debug)]
pub(super) struct HandoverLine {
    stream: UnixStream,
}

impl HandoverLine {
    /// Both ends.
    pub(super) fn pair() -> io::Result<(Self, UnixStream)> {
        let (ours, theirs) = UnixStream::pair()?;
        Ok((Self { stream: ours }, theirs))
    }

    /// The end we were started with.
    pub(super) fn over(stream: UnixStream) -> Self {
        Self { stream }
    }

    /// Another handle of the same end.
    pub(super) fn again(&self) -> io::Result<Self> {
        Ok(Self { stream: self.stream.try_clone()? })
    }

    /// Says something.
    pub(super) fn say(&self, word: &HandoverWord) -> io::Result<()> {
        (&self.stream).write_all(text(word)?.as_bytes())
    }

    /// Says something and passes open files along.
    pub(super) fn say_with(&self, word: &HandoverWord, files: &[BorrowedFd<'_>]) -> io::Result<()> {
        let text = text(word)?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FILES))];
        let mut along = SendAncillaryBuffer::new(&mut space);
        if !along.push(SendAncillaryMessage::ScmRights(files)) {
            return Err(io::Error::other("the open files do not fit"));
        }
        let parts = [IoSlice::new(text.as_bytes())];
        let sent = sendmsg(self.stream.as_fd(), &parts, &mut along, SendFlags::empty())?;
        // The files went with the first byte.
        (&self.stream).write_all(text.as_bytes().get(sent..).unwrap_or_default())
    }

    /// Hears the next word; an error of kind `UnexpectedEof` means that the other side is gone.
    pub(super) fn hear(&self, patience: Option<Duration>) -> io::Result<HandoverWord> {
        self.hear_with(patience).map(|(word, _files)| word)
    }

    /// Hears the next word and takes open files that come along.
    pub(super) fn hear_with(&self, patience: Option<Duration>) -> io::Result<(HandoverWord, Vec<OwnedFd>)> {
        self.stream.set_read_timeout(patience)?;
        let (mut text, mut files) = (Vec::new(), Vec::new());
        // Byte by byte: what comes after the line belongs to the next one. There are five lines.
        while text.last() != Some(&b'\n') {
            if text.len() >= MAX_LINE {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the line is too long"));
            }
            let mut byte = [0_u8];
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FILES))];
            let mut along = RecvAncillaryBuffer::new(&mut space);
            let mut parts = [IoSliceMut::new(&mut byte)];
            let flags = RecvFlags::CMSG_CLOEXEC;
            let got = match recvmsg(self.stream.as_fd(), &mut parts, &mut along, flags) {
                Err(rustix::io::Errno::INTR) => continue,
                got => got?,
            };
            if got.bytes == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            for message in along.drain() {
                if let RecvAncillaryMessage::ScmRights(some) = message {
                    files.extend(some);
                }
            }
            text.extend_from_slice(&byte);
        }
        Ok((serde_json::from_slice(&text)?, files))
    }
}

fn text(word: &HandoverWord) -> io::Result<String> {
    Ok(format!("{}\n", serde_json::to_string(word)?))
}

#[cfg(test)]
mod tests {
    use super::{HandoverLine, HandoverWord, VERSION};
    use std::io::{Read, Seek, Write};
    use std::os::fd::AsFd;

    #[test]
    fn words_and_open_files_arrive_in_order() {
        let (ours, theirs) = HandoverLine::pair().unwrap();
        let theirs = HandoverLine::over(theirs);
        let mut first = tempfile::tempfile().unwrap();
        let second = tempfile::tempfile().unwrap();
        first.write_all(b"listening").unwrap();
        first.rewind().unwrap();
        let offer = HandoverWord::Offer { version: VERSION, has_parent: false };
        ours.say_with(&offer, &[first.as_fd(), second.as_fd()]).unwrap();
        ours.say(&HandoverWord::Go).unwrap();
        let (word, files) = theirs.hear_with(None).unwrap();
        assert_eq!((word, files.len()), (offer, 2));
        let mut text = String::new();
        std::fs::File::from(files.into_iter().next().unwrap()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "listening");
        assert_eq!(theirs.hear(None).unwrap(), HandoverWord::Go);
        theirs.say(&HandoverWord::Failed { error: "a\nb".to_owned() }).unwrap();
        assert_eq!(ours.hear(None).unwrap(), HandoverWord::Failed { error: "a\nb".to_owned() });
        drop(ours);
        assert_eq!(theirs.hear(None).unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
    }
}
