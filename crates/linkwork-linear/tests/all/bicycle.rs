//! The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007).

use crate::suite::{eigenvalues, example, linear, modes};
use linkwork::Model;
use linkwork::model::Formulation;
use linkwork_linear::{Locus, Modes};

/// Table 2: speed, weave (real and imaginary part, or two real eigenvalues), capsize, castering.
const TABLE: [[f64; 5]; 11] = [
    [0.0, 3.131_643_247_906_56, 5.530_943_717_653_93, -3.131_643_247_906_56, -5.530_943_717_653_93],
    [1.0, 3.526_961_709_900_70, 0.807_740_275_199_30, -3.134_231_250_665_78, -7.110_080_146_374_42],
    [2.0, 2.682_345_175_127_45, 1.680_662_965_906_75, -3.071_586_456_415_14, -8.673_879_848_317_35],
    [3.0, 1.706_756_056_639_75, 2.315_824_473_843_25, -2.633_661_372_536_67, -10.351_014_672_459_2],
    [4.0, 0.413_253_315_211_25, 3.079_108_186_032_06, -1.429_444_273_613_26, -12.158_614_265_764_47],
    [5.0, -0.775_341_882_195_85, 4.464_867_713_788_23, -0.322_866_429_004_09, -14.078_389_692_798_22],
    [6.0, -1.526_444_865_841_42, 5.876_730_605_987_09, -0.004_066_900_769_70, -16.085_371_230_980_26],
    [7.0, -2.138_756_442_583_62, 7.195_259_133_298_05, 0.102_681_705_747_66, -18.157_884_661_252_62],
    [8.0, -2.693_486_835_810_97, 8.460_379_713_969_31, 0.143_278_797_657_13, -20.279_408_943_945_69],
    [9.0, -3.216_754_022_524_85, 9.693_773_515_317_91, 0.157_901_840_309_17, -22.437_885_590_408_58],
    [10.0, -3.720_168_404_372_87, 10.906_811_394_762_87, 0.161_053_386_531_72, -24.624_596_350_174_04],
];

/// Eigenvalues at 0 to 10 m/s (Meijaard et al. 2007, table 2), and six zeros beside them: where it is, which way it points, how far its wheels have turned, how fast it goes.
#[test]
fn paper_eigenvalues_of_the_benchmark_bicycle() {
    let mut worst = 0.0_f64;
    for [v, a, b, capsize, castering] in TABLE {
        let modes = modes(&linear(&bicycle(v), Formulation::Auto));
        let found = eigenvalues(&modes);
        assert_eq!((found.len(), modes.zeros), (4, 6), "{found:?}");
        let mut expected = vec![(capsize, 0.0), (castering, 0.0)];
        match v {
            0.0 => expected.extend([(a, 0.0), (b, 0.0)]),
            _ => expected.extend([(a, b), (a, -b)]),
        }
        for (re, im) in expected {
            let off = found.iter().map(|x| (x.re - re).hypot(x.im - im)).fold(f64::INFINITY, f64::min);
            worst = worst.max(off);
            // the table has 14 decimals; differences keep 1e-10 of the largest, 25/s
            assert!(off < 1e-9, "{v} m/s: {re} + {im}i is off by {off:.1e}");
        }
        assert_eq!(modes.is_unstable(), !(4.3..6.02).contains(&v), "{v} m/s");
    }
    println!("benchmark bicycle: eigenvalues off by {worst:.1e} 1/s at most");
}

/// Between the weave speed and the capsize speed the bicycle is stable (Meijaard et al. 2007, section 7): there a real part is zero.
#[test]
fn paper_weave_and_capsize_speeds() {
    for (v, turns) in [(4.292_382_536_341_11, true), (6.024_262_015_388_37, false)] {
        let modes = modes(&linear(&bicycle(v), Formulation::Auto));
        let critical = eigenvalues(&modes).into_iter().filter(|x| (x.im != 0.0) == turns);
        let part = critical.map(|x| x.re.abs()).fold(f64::INFINITY, f64::min);
        println!("at {v} m/s the critical real part is {part:.1e} 1/s, {} zeros", modes.zeros);
        // as the eigenvalues; the capsize may be counted among the zeros then
        assert!(part < 1e-9 || (!turns && modes.zeros == 7));
    }
}

/// Branches of the root locus do not mix: the weave goes on from two real eigenvalues to a pair, and stability changes at the two speeds.
#[test]
fn paper_root_locus() {
    let mut locus = Locus::new("v");
    for k in 0..=40 {
        let v = 0.25 * f64::from(k);
        locus
            .push(v, &modes(&linear(&bicycle(v), Formulation::Auto)))
            .unwrap_or_else(|error| panic!("{error}"));
    }
    let limits = locus.limits();
    // by straight lines over 0.25 m/s
    assert_eq!(limits.len(), 2, "{limits:?}");
    assert!((limits[0] - 4.292).abs() < 0.01 && (limits[1] - 6.024).abs() < 0.01, "{limits:?}");
    let mut asked = 0;
    let limits = locus.exact_limits(|v| {
        asked += 1;
        Modes::new(&linear(&bicycle(v), Formulation::Auto))
    });
    let limits = limits.unwrap_or_else(|error| panic!("{error}"));
    for (found, published) in limits.iter().zip([4.292_382_536_341_11, 6.024_262_015_388_37]) {
        println!("weave or capsize speed {found}: off by {:.1e} m/s", (found - published).abs());
        // real parts are good to 1e-10 1/s and change by 1 1/s and 0.1 1/s for each m/s
        assert!((found - published).abs() < 1e-9, "{found} {published}");
    }
    assert!(asked < 25, "{asked}");
    let castering = locus.shown().find(|branch| branch[40].re < -24.0).expect("castering");
    let falls = castering.windows(2).filter(|pair| pair[1].re < pair[0].re).count();
    assert_eq!(falls, 40, "castering becomes faster with speed");
}

fn bicycle(v: f64) -> Model {
    example("bicycle", &[("v", v), ("knock", 0.0)])
}
