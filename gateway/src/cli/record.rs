//! `quandura record`.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use futures_util::StreamExt;
use pipeline::session::journal::{Recorded, decode_frame};
use secrecy::ExposeSecret;
use storage::CallId;
use telephony::media::AudioFrame;
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderValue, header};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::args;
use super::client::{base_url, token};
use crate::calls::journal_recorders::RecordLine;
use crate::config::Config;
use caller::audio::{self, Writer};
use caller::playback::Playback;

/// Runs until enough was recorded, or the user interrupts.
pub async fn run(config: &Config, args: args::Record) -> anyhow::Result<()> {
    let base = base_url(config, args.target.url.as_deref())?;
    let Some(token) = token(config, &base) else {
        bail!("no token for {base}: set ADMIN_TOKEN, or run this on the gateway's machine with its DATA_DIR")
    };
    fs::create_dir_all(&args.out).with_context(|| format!("{} cannot be created", args.out.display()))?;
    let url = format!("{}/v1/record", base.replacen("http", "ws", 1));
    let mut request = url.as_str().into_client_request()?;
    let bearer = HeaderValue::from_str(&format!("Bearer {}", token.expose_secret()))?;
    request.headers_mut().insert(header::AUTHORIZATION, bearer);
    let mut socket = match tokio_tungstenite::connect_async(request).await {
        Ok((socket, _)) => socket,
        Err(Error::Http(answer)) if answer.status() == 409 => {
            bail!("another recorder is attached: stop it first")
        }
        Err(Error::Http(answer)) => bail!("{base} refuses the recorder with status {}", answer.status()),
        Err(_) => bail!("{base} does not answer: start the gateway with `quandura serve`, or give --url"),
    };
    eprintln!("recording calls that begin now into {} (Ctrl-C ends)", args.out.display());
    let mut recording = Recording { out: args.out.clone(), open: HashMap::new(), complete: 0 };
    let until = Instant::now() + Duration::from_secs(args.seconds.unwrap_or(u64::from(u32::MAX)));
    while args.calls.is_none_or(|calls| recording.complete < calls) {
        let message = tokio::select! {
            message = socket.next() => message,
            () = sleep_until(until) => break,
            _ = tokio::signal::ctrl_c() => break,
        };
        match message {
            Some(Ok(Message::Text(text))) => recording.take(serde_json::from_str(&text)?)?,
            Some(Ok(Message::Close(_)) | Err(_)) | None => break,
            Some(Ok(_)) => {}
        }
    }
    let _ = socket.close(None).await;
    recording.finish()
}

/// All files being written.
struct Recording {
    out: PathBuf,
    open: HashMap<CallId, Files>,
    complete: usize,
}

impl Recording {
    fn take(&mut self, line: RecordLine) -> anyhow::Result<()> {
        let Some(entry) = line.entry else {
            if let Some(files) = self.open.remove(&line.call_id) {
                files.finish()?;
                self.complete += 1;
                println!("{}", self.out.join(format!("{}.wav", line.call_id)).display());
            }
            return Ok(());
        };
        let files = match self.open.entry(line.call_id) {
            std::collections::hash_map::Entry::Occupied(open) => open.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(Files::create(&self.out, line.call_id)?)
            }
        };
        serde_json::to_writer(&mut files.journal, &entry)?;
        files.journal.write_all(b"\n")?;
        files.hear(&entry.what)
    }

    fn finish(self) -> anyhow::Result<()> {
        let cut = self.open.len();
        for files in self.open.into_values() {
            files.finish()?;
        }
        eprintln!("{} calls recorded, {cut} cut off by the end of the recording", self.complete);
        Ok(())
    }
}

/// The two files of one call.
struct Files {
    journal: BufWriter<File>,
    sound: Writer,
    playback: Playback<u64>,
}

impl Files {
    fn create(out: &Path, call: CallId) -> anyhow::Result<Self> {
        let journal = private(&out.join(format!("{call}.jsonl")))?;
        let sound = out.join(format!("{call}.wav"));
        drop(private(&sound)?);
        let sound = audio::create(&sound, 2)?;
        Ok(Self { journal: BufWriter::new(journal), sound, playback: Playback::default() })
    }

    /// The caller's frames are the clock; what was sent is played beside them, as the carrier does.
    fn hear(&mut self, what: &Recorded) -> anyhow::Result<()> {
        match what {
            Recorded::In { audio } => {
                let left = decode_frame(audio).unwrap_or(AudioFrame::SILENCE);
                let (right, _) = self.playback.play();
                audio::push_stereo(&mut self.sound, &left, &right)?;
            }
            Recorded::Out { audio } => {
                if let Some(frame) = decode_frame(audio) {
                    self.playback.audio(frame.bytes().to_vec());
                }
            }
            Recorded::Clear => drop(self.playback.clear()),
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<()> {
        self.journal.flush()?;
        self.sound.finalize().context("the WAV file cannot be completed")
    }
}

/// Callers' own words and voices: for this user's eyes and ears only.
fn private(path: &Path) -> anyhow::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).with_context(|| format!("{} cannot be written", path.display()))
}

#[cfg(test)]
mod tests {
    use pipeline::session::journal::{JournalEntry, encode_audio};

    use super::*;

    #[test]
    fn a_call_becomes_a_journal_and_a_stereo_file_of_the_same_length() {
        let dir = tempfile::tempdir().unwrap();
        let call = CallId::new();
        let mut recording = Recording { out: dir.path().to_owned(), open: HashMap::new(), complete: 0 };
        let mut take = |what: Option<Recorded>| {
            let entry = what.map(|what| JournalEntry { at_us: 0, what });
            recording.take(RecordLine { call_id: call, entry }).unwrap();
        };
        take(Some(Recorded::Out { audio: encode_audio(&[0x20; 160]) }));
        for _ in 0..3 {
            take(Some(Recorded::In { audio: encode_audio(&[0x30; 160]) }));
        }
        take(None);
        let sound = hound::WavReader::open(dir.path().join(format!("{call}.wav"))).unwrap();
        assert_eq!((sound.spec().channels, sound.duration()), (2, 480));
        let journal = fs::read_to_string(dir.path().join(format!("{call}.jsonl"))).unwrap();
        assert_eq!(journal.lines().count(), 4);
        assert_eq!(recording.complete, 1);
    }
}
