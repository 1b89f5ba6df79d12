//! Tables from CSV files beside the model file.

use linkwork::Error;
use linkwork::model::Model;
use std::fs;
use std::path::PathBuf;

/// A folder of its own, which goes with it.
pub(super) struct Folder(pub PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("linkwork-table-{name}-{}", std::process::id()));
        fs::create_dir_all(path.join("data")).unwrap();
        Folder(path)
    }

    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), text).unwrap();
    }

    /// The model of a mass that is pushed as the table `load` says.
    fn model(&self, table: &str) -> Result<Model, Error> {
        self.write(
            "model.toml",
            format!(
                "format = 1\n[points]\nO = [0, 0]\nC = [0, 0]\n[bodies]\nground = {{ points = ['O'] }}\n\
                 sled = {{ points = ['C'], mass = 2, shape = {{ type = 'box', size = [0.4, 0.2], axis = [1, 0] }} }}\n\
                 [joints.rail]\ntype = 'prismatic'\nbodies = ['ground', 'sled']\nat = ['O', 'C']\naxis = [1, 0]\n\
                 [tables]\nload = {{ {table} }}\n\
                 [actuators]\nmotor = {{ joint = 'rail', force = 'load(t)' }}\n[simulation]\nduration = 2\n"
            ),
        );
        Model::from_file(self.0.join("model.toml"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const LOAD: &str =
    "file = 'data/load.csv', columns = ['time', 'force'], units = ['ms', 'kN'], interpolation = 'linear'";

/// A force that rises in a line for a second and then stays: v = ∫ F/m = (4/2 · 1/2 + 4/2 · 1) m/s.
#[test]
fn exact_force_from_a_file() {
    let folder = Folder::new("force");
    folder.write(
        "data/load.csv",
        "\u{feff}# measured on a Monday\r\n\"time\", note ,force\r\n\r\n0,a,0\r\n 1000 ,b, 4e-3 \r\n# noise\r\n2000,c,0.004\r\n",
    );
    let model = folder.model(LOAD).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(model.tables[0].table.x(), [0.0, 1.0, 2.0]);
    assert_eq!(model.tables[0].table.y(), [0.0, 4.0, 4.0]);
    let mechanism = model.assemble().unwrap();
    let v = *mechanism.simulate().unwrap().column(&mechanism, "joint.rail.v").unwrap().last().unwrap();
    println!("speed off by {:.1e}", v - 3.0);
    assert!((v - 3.0).abs() < 1e-9, "{v}");
    // written, it stands alone
    let text = model.to_toml().unwrap();
    let again = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(again.tables, model.tables, "{text}");
    // with other parameters, and from text in memory
    let file = folder.0.join("model.toml");
    let (name, contents) = (file.display().to_string(), fs::read(&file).unwrap());
    assert_eq!(Model::parse_beside(&name, &contents, &[]).unwrap().tables, model.tables);
    assert!(Model::parse(&name, &contents).is_err());
}

fn told(folder: &Folder, table: &str, path: &str, message: &str, help: &str) {
    match folder.model(table) {
        Err(Error::Model(faults)) => {
            println!("{}: {}", faults.list[0].path, faults.list[0].message);
            let found = faults.list.iter().any(|fault| {
                fault.path == path
                    && fault.message.contains(message)
                    && (help.is_empty() || fault.help.as_ref().is_some_and(|found| found.contains(help)))
            });
            assert!(found, "{table}\n{:#?}", faults.list);
        }
        other => panic!("{table}: {:?}", other.map(|model| model.tables)),
    }
}

#[test]
fn exact_faults_of_files() {
    let folder = Folder::new("faults");
    folder.write("data/load.csv", "time,force\n0,1\n1,2\n");
    folder.write("word.csv", "time,force\n0,1\n\n1,two\n");
    folder.write("back.csv", "time,force\n0,1\n2,2\n1,2\n");
    folder.write("short.csv", "time,force\n0,1\n1\n");
    folder.write("other.csv", "time;force\n0;1\n");
    folder.write("twice.csv", "time,force,force\n0,1,1\n");
    folder.write("empty.csv", "# nothing\n");
    folder.write("bytes.csv", [0x74, 0xff, 0xfe]);
    folder.write("one.csv", "time,force\n0,1\n");
    let mut many = String::from("time,force\n");
    (0..100_001).for_each(|i| many.push_str(&format!("{i},1\n")));
    folder.write("many.csv", many);
    let of = |file: &str| format!("file = '{file}', columns = ['time', 'force']");
    told(&folder, &of("none.csv"), "tables.load.file", "cannot be read", "");
    told(&folder, &of("data"), "tables.load.file", "not a plain file", "");
    told(&folder, &of("../load.csv"), "tables.load.file", "beside the model file", "relative");
    told(&folder, &of("/etc/hosts"), "tables.load.file", "beside the model file", "relative");
    told(
        &folder,
        &of("word.csv"),
        "tables.load.file",
        "word.csv:4: column `force`: `two` is not a finite number",
        "",
    );
    told(&folder, &of("back.csv"), "tables.load.file", "back.csv:4: ", "");
    told(
        &folder,
        &of("short.csv"),
        "tables.load.file",
        "short.csv:3: this line has 1 cells, the first has 2",
        "",
    );
    told(
        &folder,
        &of("other.csv"),
        "tables.load.columns",
        "other.csv:1: there is no column `time`",
        "commas",
    );
    told(&folder, &of("twice.csv"), "tables.load.columns", "two columns `force`", "");
    told(&folder, &of("empty.csv"), "tables.load.file", "is empty", "");
    told(&folder, &of("bytes.csv"), "tables.load.file", "not UTF-8", "");
    told(&folder, &of("one.csv"), "tables.load", "", "");
    told(
        &folder,
        &of("many.csv"),
        "tables.load.file",
        "many.csv:100002: a table may have 100000 points",
        "fewer",
    );
    let load = "file = 'data/load.csv'";
    told(&folder, load, "tables.load", "which columns", "columns = ");
    told(
        &folder,
        &format!("{load}, columns = ['time', 'forse']"),
        "tables.load.columns",
        "no column `forse`",
        "force",
    );
    told(
        &folder,
        &format!("{load}, columns = ['time', 'force'], units = ['s']"),
        "tables.load.units",
        "there are 1",
        "",
    );
    told(
        &folder,
        &format!("{load}, columns = ['time', 'force'], units = ['s', 'qq']"),
        "tables.load.units[1]",
        "not a unit",
        "",
    );
    told(
        &folder,
        &format!("{load}, columns = ['time', 'force'], units = ['mm', 'N']"),
        "actuators.motor.force",
        "",
        "",
    );
    told(
        &folder,
        &format!("{load}, columns = ['time', 'force'], x = [0, 1]"),
        "tables.load",
        "beside the file",
        "",
    );
    told(
        &folder,
        "x = [0, 1], y = [0, 1], columns = ['a', 'b']",
        "tables.load.columns",
        "belongs to a `file`",
        "",
    );
}

/// A measured wave is smoothed: its derivatives are those of the wave up to (√2 - 1)(1/8)⁶ = 1.6e-6 of them. Written and read again it is the same.
#[test]
fn exact_smoothed_tables() {
    let folder = Folder::new("smooth");
    let w = std::f64::consts::TAU;
    let mut text = String::from("time,force\n");
    (0..=400).map(|i| 0.01 * f64::from(i)).for_each(|t| text.push_str(&format!("{t},{}\n", (w * t).sin())));
    folder.write("wave.csv", text);
    folder.write("few.csv", "time,force\n0,1\n1,2\n2,1\n3,0\n4,0\n");
    let of = |file: &str, more: &str| format!("file = '{file}', columns = ['time', 'force'], {more}");
    let model = folder.model(&of("wave.csv", "smooth = '8 Hz'")).unwrap_or_else(|e| panic!("{e}"));
    let table = &model.tables[0].table;
    assert_eq!(table.smooth(), Some(8.0));
    let found = table.eval(2.1).unwrap();
    let exact = [(w * 2.1).sin(), w * (w * 2.1).cos(), -w * w * (w * 2.1).sin()];
    for (found, exact) in found.into_iter().zip(exact) {
        assert!((found / exact - 1.0).abs() < 2e-6, "{found} {exact}");
    }
    let text = model.to_toml().unwrap();
    assert!(text.contains("smooth = \"8 Hz\""), "{text}");
    assert_eq!(Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}\n{text}")).tables, model.tables);
    for (more, path, message) in [
        ("smooth = '50 Hz'", "tables.load.smooth", "below half the rate of the points, 50"),
        ("smooth = 0", "tables.load.smooth", "above zero"),
        ("smooth = '8 N'", "tables.load.smooth", ""),
        (
            "smooth = '8 Hz', interpolation = 'cubic'",
            "tables.load.interpolation",
            "does not go through its points",
        ),
    ] {
        told(&folder, &of("wave.csv", more), path, message, "");
    }
    told(&folder, &of("few.csv", "interpolation = 'quintic'"), "tables.load", "6 points", "");
}
