//! The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007).

use crate::suite::{eigenvalues, example, linear, modes};
use linkwork::model::Formulation;

/// Table 2: speed, weave (real and imaginary part, or two real eigenvalues), capsize, castering.
const TABLE: [[f64; 5]; 11] = [
    [0.0, 3.131_643_247_906_56, 5.530_943_717_653_93, -3.131_643_247_906_56, -5.530_943_717_653_93],
    [1.0, 3.526_961_709_900_70, 0.807_740_275_199_30, -3.134_231_250_665_78, -7.110_080_146_374_42],
    [2.0, 2.682_345_175_127_45, 1.680_662_965_906_75, -3.071_586_456_415_14, -8.673_879_848_317_35],
    [3.0, 1.706_756_056_639_75, 2.315_824_473_843_25, -2.633_661_372_536_67, -10.351_014_672_459_20],
    [4.0, 0.413_253_315_211_25, 3.079_108_186_032_06, -1.429_444_273_613_26, -12.158_614_265_764_47],
    [5.0, -0.775_341_882_195_85, 4.464_867_713_788_23, -0.322_866_429_004_09, -14.078_389_692_798_22],
    [6.0, -1.526_444_865_841_42, 5.876_730_605_987_09, -0.004_066_900_769_70, -16.085_371_230_980_26],
    [7.0, -2.138_756_442_583_62, 7.195_259_133_298_05, 0.102_681_705_747_66, -18.157_884_661_252_62],
    [8.0, -2.693_486_835_810_97, 8.460_379_713_969_31, 0.143_278_797_657_13, -20.279_408_943_945_69],
    [9.0, -3.216_754_022_524_85, 9.693_773_515_317_91, 0.157_901_840_309_17, -22.437_885_590_408_58],
    [10.0, -3.720_168_404_372_87, 10.906_811_394_762_87, 0.161_053_386_531_72, -24.624_596_350_174_04],
];

/// Eigenvalues at 0 to 10 m/s (Meijaard et al. 2007, table 2).
#[test]
fn paper_eigenvalues_of_the_benchmark_bicycle() {
    for [v, a, b, capsize, castering] in TABLE {
        let linear = linear(&example("bicycle", &[("v", v), ("knock", 0.0)]), Formulation::Auto);
        if v == 5.0 {
            for (i, s) in linear.states.iter().enumerate() { println!("{} {} {:?}", s.name, s.unit, &linear.a[i*linear.states.len()..(i+1)*linear.states.len()]); }
            println!("{:?} {:?}", linear.remarks, linear.unsteady);
        }
        let modes = modes(&linear);
        let found = eigenvalues(&modes);
        let mut expected = vec![(capsize, 0.0), (castering, 0.0)];
        match v {
            0.0 => expected.extend([(a, 0.0), (b, 0.0)]),
            _ => expected.extend([(a, b), (a, -b)]),
        }
        let mut worst = 0.0_f64;
        for (re, im) in expected {
            let near = found.iter().map(|x| (x.re - re).hypot(x.im - im)).fold(f64::INFINITY, f64::min);
            worst = worst.max(near);
        }
        println!("v = {v} m/s: {} states, {} zeros, off by {worst:.1e}", linear.states.len(), modes.zeros);
        println!("{found:?}");
    }
}
