//! Uses launches up: one thread writes, and commits in one transaction what has arrived meanwhile.
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rusqlite::{params, Connection, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

const INSERT: &str = "INSERT INTO used_launch (launch_id, at) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
const PURGE: &str = "DELETE FROM used_launch WHERE at < ?1";
/// A day past the longest lifetime.
const KEPT_MS: i64 = (86_400 + 3_600) * 1000;
const LARGEST_BATCH: usize = 1024;

struct Use {
    id: uuid::Uuid,
    reply: oneshot::Sender<bool>,
}

pub struct UsedLaunches(mpsc::Sender<Use>);

/// Whether the launch was used up is not known, so it must not pass.
pub struct Unavailable;

impl UsedLaunches {
    pub fn open(path: &str) -> rusqlite::Result<UsedLaunches> {
        let db = Connection::open(path)?;
        db.busy_timeout(Duration::from_secs(5))?;
        db.pragma_update(None, "journal_mode", "WAL")?;
        db.pragma_update(None, "synchronous", "FULL")?;
        let (sender, receiver) = mpsc::channel(LARGEST_BATCH);
        std::thread::Builder::new().name("used".into()).spawn(move || write(db, receiver)).expect("a thread");
        Ok(UsedLaunches(sender))
    }

    /// Whether this was the launch's first use; it is on disk by then.
    pub async fn use_up(&self, id: uuid::Uuid) -> Result<bool, Unavailable> {
        let (reply, answer) = oneshot::channel();
        self.0.send(Use { id, reply }).await.map_err(|_| Unavailable)?;
        answer.await.map_err(|_| Unavailable)
    }
}

fn write(mut db: Connection, mut uses: mpsc::Receiver<Use>) {
    let mut batch = Vec::with_capacity(LARGEST_BATCH);
    let mut purged: Option<Instant> = None;
    while let Some(first) = uses.blocking_recv() {
        batch.push(first);
        while batch.len() < LARGEST_BATCH {
            match uses.try_recv() {
                Ok(next) => batch.push(next),
                Err(_) => break,
            }
        }
        let purges = purged.map_or(true, |at| at.elapsed() > Duration::from_secs(60));
        match commit(&mut db, &batch, purges) {
            Ok(firsts) => {
                if purges {
                    purged = Some(Instant::now());
                }
                for (one, first) in batch.drain(..).zip(firsts) {
                    let _ = one.reply.send(first);
                }
            }
            Err(error) => {
                eprintln!("used launches: {error}");
                batch.clear(); // drops the replies: each asker gets Unavailable
            }
        }
    }
}

fn commit(db: &mut Connection, batch: &[Use], purges: bool) -> rusqlite::Result<Vec<bool>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64;
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut firsts = Vec::with_capacity(batch.len());
    {
        if purges {
            transaction.execute(PURGE, [now - KEPT_MS])?;
        }
        let mut insert = transaction.prepare_cached(INSERT)?;
        for one in batch {
            let mut text = uuid::Uuid::encode_buffer();
            firsts.push(insert.execute(params![&*one.id.hyphenated().encode_lower(&mut text), now])? == 1);
        }
    }
    transaction.commit()?;
    Ok(firsts)
}
