//! Shards: which parts of a sweep one process works on.

use crate::Error;
use std::fmt;

/// One of several processes that share a sweep. Shard `i` of `n` works on every n-th part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    index: u64,
    count: u64,
}

impl Default for Shard {
    fn default() -> Self {
        Shard { index: 0, count: 1 }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.count)
    }
}

impl Shard {
    /// Reads `3/16`, the third of sixteen, or `auto`: from the variables of a SLURM array (`SLURM_ARRAY_TASK_ID`, `SLURM_ARRAY_TASK_MIN`,
    /// `SLURM_ARRAY_TASK_COUNT`) or of an indexed Kubernetes job (`JOB_COMPLETION_INDEX`, and `JOB_COMPLETIONS`, which the job sets itself).
    ///
    /// # Errors
    /// A text that is no shard, or variables that are missing.
    pub fn read(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Shard, Error> {
        let wrong = |why: String| Error::wrong(format!("--shard {text}"), why);
        let number = |name: &str| match variable(name) {
            None => Ok(None),
            Some(value) => match value.trim().parse::<u64>() {
                Ok(n) => Ok(Some(n)),
                Err(_) => Err(wrong(format!("`{name}` is `{value}`, which is not a number"))),
            },
        };
        let shard = |index: Option<u64>, count: u64| match index {
            Some(index) if index < count => Ok(Shard { index, count }),
            _ => Err(wrong(format!("shards are counted from 1 to {count}"))),
        };
        if text != "auto" {
            let parts = text.split_once('/').map(|(i, n)| (i.trim().parse::<u64>(), n.trim().parse::<u64>()));
            let Some((Ok(i), Ok(n))) = parts else {
                return Err(wrong("write I/N, as in 3/16 for the third of sixteen, or auto".into()));
            };
            return shard(i.checked_sub(1), n);
        }
        if let Some(id) = number("SLURM_ARRAY_TASK_ID")? {
            let Some(count) = number("SLURM_ARRAY_TASK_COUNT")? else {
                return Err(wrong(
                    "`SLURM_ARRAY_TASK_ID` is set, but `SLURM_ARRAY_TASK_COUNT` is not".into(),
                ));
            };
            // arrays may begin anywhere, and go on in steps
            let least = number("SLURM_ARRAY_TASK_MIN")?.unwrap_or(0);
            let step = number("SLURM_ARRAY_TASK_STEP")?.unwrap_or(1).max(1);
            return match id.checked_sub(least).map(|id| id / step).filter(|index| *index < count) {
                Some(index) => Ok(Shard { index, count }),
                None => Err(wrong(format!(
                    "task {id} of an array of {count} that begins at {least} is none of them: number the tasks from 0 or set `SLURM_ARRAY_TASK_MIN`"
                ))),
            };
        }
        if let Some(index) = number("JOB_COMPLETION_INDEX")? {
            let Some(count) = number("JOB_COMPLETIONS")? else {
                return Err(wrong(
                    "`JOB_COMPLETION_INDEX` is set, but `JOB_COMPLETIONS` is not: give it the number of completions in the job's `env`"
                        .into(),
                ));
            };
            return match index < count {
                true => Ok(Shard { index, count }),
                false => Err(wrong(format!("`JOB_COMPLETION_INDEX` is {index}, `JOB_COMPLETIONS` {count}"))),
            };
        }
        Err(wrong(
            "neither `SLURM_ARRAY_TASK_ID` nor `JOB_COMPLETION_INDEX` is set: write I/N, as in 3/16".into(),
        ))
    }

    /// Whether it works on a part.
    pub fn has(&self, part: u64) -> bool {
        part % self.count == self.index
    }

    /// Whether there are no others.
    pub fn is_whole(&self) -> bool {
        self.count == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(variables: &[(&str, &str)]) -> Result<String, String> {
        let find = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string());
        Shard::read("auto", &find).map(|s| s.to_string()).map_err(|e| e.to_string())
    }

    #[test]
    fn exact_shards() {
        let none = |_: &str| None;
        let shards: Vec<Shard> = (1..=3).map(|i| Shard::read(&format!("{i}/3"), &none).unwrap()).collect();
        for part in 0..10 {
            assert_eq!(shards.iter().filter(|shard| shard.has(part)).count(), 1);
        }
        for wrong in ["0/3", "4/3", "3", "a/b", "1/0", "-1/2"] {
            assert!(Shard::read(wrong, &none).unwrap_err().to_string().contains(wrong), "{wrong}");
        }
    }

    #[test]
    fn exact_shards_of_job_systems() {
        let slurm =
            [("SLURM_ARRAY_TASK_ID", "3"), ("SLURM_ARRAY_TASK_COUNT", "16"), ("SLURM_ARRAY_TASK_MIN", "1")];
        assert_eq!(auto(&slurm).unwrap(), "3/16");
        assert_eq!(auto(&slurm[..2]).unwrap(), "4/16");
        assert!(auto(&slurm[..1]).unwrap_err().contains("SLURM_ARRAY_TASK_COUNT"));
        let stepped = [slurm[0], ("SLURM_ARRAY_TASK_COUNT", "4"), slurm[2], ("SLURM_ARRAY_TASK_STEP", "2")];
        assert_eq!(auto(&stepped).unwrap(), "2/4");
        assert_eq!(auto(&[("JOB_COMPLETION_INDEX", "0"), ("JOB_COMPLETIONS", "8")]).unwrap(), "1/8");
        assert!(auto(&[("JOB_COMPLETION_INDEX", "0")]).unwrap_err().contains("JOB_COMPLETIONS"));
        assert!(auto(&[("JOB_COMPLETION_INDEX", "x")]).unwrap_err().contains("not a number"));
        assert!(auto(&[]).unwrap_err().contains("neither"));
    }
}
