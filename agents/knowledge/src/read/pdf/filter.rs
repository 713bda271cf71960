//! Unpacking of streams (ISO 32000-1, 7.4), each with a limit on what may come out.

use std::io::Read as _;

use super::Budget;
use super::object::{Dict, Object};
use crate::read::ReadError;

/// Filters on top of each other.
const MAX_FILTERS: usize = 4;

/// The bytes of a stream as they were before packing; `None` for what is no text: pictures, and filters that are not
/// known.
pub(super) fn unpack(dict: &Dict, raw: &[u8], budget: &mut Budget) -> Result<Option<Vec<u8>>, ReadError> {
    let many = |name: &str, short: &str| match dict.get(name).or_else(|| dict.get(short)) {
        Some(Object::Array(items)) => items.clone(),
        Some(Object::Null) | None => Vec::new(),
        Some(one) => vec![one.clone()],
    };
    let (filters, parameters) = (many("Filter", "F"), many("DecodeParms", "DP"));
    if filters.len() > MAX_FILTERS {
        return Err(ReadError::Bomb("filters within filters"));
    }
    if filters.is_empty() {
        budget.unpacked(raw.len())?;
    }
    let mut data = raw.to_vec();
    for (n, filter) in filters.iter().enumerate() {
        let parameters = parameters.get(n).and_then(Object::dict);
        data = match filter.name().unwrap_or_default() {
            "FlateDecode" | "Fl" => predicted(&inflate(&data, budget)?, parameters),
            "LZWDecode" | "LZW" => predicted(&lzw(&data, parameters, budget)?, parameters),
            "ASCIIHexDecode" | "AHx" => ascii_hex(&data),
            "ASCII85Decode" | "A85" => ascii_85(&data),
            "RunLengthDecode" | "RL" => run_length(&data, budget)?,
            _ => return Ok(None),
        };
    }
    Ok(Some(data))
}

/// What can be unpacked of a damaged stream is used.
fn inflate(data: &[u8], budget: &mut Budget) -> Result<Vec<u8>, ReadError> {
    let limit = budget.room();
    let mut out = Vec::new();
    let zlib = flate2::read::ZlibDecoder::new(data).take(limit + 1).read_to_end(&mut out);
    if zlib.is_err() && out.is_empty() {
        // Without its header, as some writers leave it.
        let raw = data.get(2..).unwrap_or_default();
        drop(flate2::read::DeflateDecoder::new(raw).take(limit + 1).read_to_end(&mut out));
    }
    budget.unpacked(out.len())?;
    Ok(out)
}

fn lzw(data: &[u8], parameters: Option<&Dict>, budget: &mut Budget) -> Result<Vec<u8>, ReadError> {
    let early = parameters.and_then(|p| p.get("EarlyChange")?.number()).is_none_or(|n| n != 0.0);
    let limit = budget.room() as usize;
    let mut out: Vec<u8> = Vec::new();
    // Where each entry lies in what was written: start and length.
    let mut table: Vec<(usize, usize)> = Vec::new();
    let (mut width, mut bits, mut held) = (9u32, 0u32, 0u32);
    let mut before: Option<(usize, usize)> = None;
    for byte in data {
        bits = (bits << 8) | u32::from(*byte);
        held += 8;
        if held < width {
            continue;
        }
        held -= width;
        let code = ((bits >> held) & ((1 << width) - 1)) as usize;
        bits &= (1 << held) - 1;
        match code {
            256 => {
                table.clear();
                (width, before) = (9, None);
                continue;
            }
            257 => break,
            _ => {}
        }
        let start = out.len();
        match (code, before) {
            (0..=255, _) => out.push(code as u8),
            (code, Some((from, length))) => {
                let (from, length) = table.get(code - 258).copied().unwrap_or((from, length + 1));
                for n in 0..length {
                    let byte = out.get(from + n).copied().unwrap_or_default();
                    out.push(byte);
                }
            }
            _ => break,
        }
        if let Some((from, length)) = before
            && table.len() < 4096 - 258
        {
            table.push((from, length + 1));
        }
        before = Some((start, out.len() - start));
        width = match table.len() + 258 + usize::from(early) {
            0..=511 => 9,
            512..=1023 => 10,
            1024..=2047 => 11,
            _ => 12,
        };
        if out.len() > limit {
            break;
        }
    }
    budget.unpacked(out.len())?;
    Ok(out)
}

fn run_length(data: &[u8], budget: &mut Budget) -> Result<Vec<u8>, ReadError> {
    let limit = budget.room() as usize;
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&length) = data.get(at).filter(|_| out.len() <= limit) {
        match length {
            0..=127 => {
                let end = (at + 2 + usize::from(length)).min(data.len());
                out.extend_from_slice(&data[at + 1..end]);
                at = end;
            }
            128 => break,
            _ => {
                let byte = data.get(at + 1).copied().unwrap_or_default();
                out.resize(out.len() + 257 - usize::from(length), byte);
                at += 2;
            }
        }
    }
    budget.unpacked(out.len())?;
    Ok(out)
}

fn ascii_hex(data: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = data
        .iter()
        .take_while(|b| **b != b'>')
        .filter_map(|b| char::from(*b).to_digit(16).map(|d| d as u8))
        .collect();
    digits.chunks(2).map(|two| (two[0] << 4) | two.get(1).copied().unwrap_or(0)).collect()
}

fn ascii_85(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut group: Vec<u32> = Vec::new();
    let body = data.strip_prefix(b"<~").unwrap_or(data);
    for byte in body.iter().take_while(|b| **b != b'~') {
        match byte {
            b'z' if group.is_empty() => out.extend([0; 4]),
            b'!'..=b'u' => group.push(u32::from(byte - b'!')),
            _ => {}
        }
        if group.len() == 5 {
            out.extend(quad(&group));
            group.clear();
        }
    }
    if group.len() > 1 {
        let kept = group.len() - 1;
        group.resize(5, 84);
        out.extend(quad(&group).into_iter().take(kept));
    }
    out
}

fn quad(group: &[u32]) -> [u8; 4] {
    group.iter().fold(0u32, |sum, digit| sum.wrapping_mul(85).wrapping_add(*digit)).to_be_bytes()
}

/// Takes a predictor back; what does not fit its parameters stays as it is.
fn predicted(data: &[u8], parameters: Option<&Dict>) -> Vec<u8> {
    let value = |name: &str, default: usize| {
        parameters.and_then(|p| p.get(name)?.number()).map_or(default, |n| n.clamp(0.0, 65_536.0) as usize)
    };
    let predictor = value("Predictor", 1);
    let (colors, bits, columns) = (value("Colors", 1), value("BitsPerComponent", 8), value("Columns", 1));
    let bytes = (colors * bits).div_ceil(8).max(1);
    // No row is longer than what there is: a hostile width must not be asked of the allocator.
    let width = (colors * bits * columns).div_ceil(8).min(data.len());
    if predictor < 10 || width == 0 {
        return data.to_vec();
    }
    let mut out: Vec<u8> = Vec::with_capacity(data.len());
    let mut above = vec![0u8; width];
    for row in data.chunks(width + 1) {
        let mut line = row[1..].to_vec();
        for n in 0..line.len() {
            let left = if n >= bytes { line[n - bytes] } else { 0 };
            let corner = if n >= bytes { above[n - bytes] } else { 0 };
            let guess = match row[0] {
                1 => left,
                2 => above[n],
                3 => u16::midpoint(u16::from(left), u16::from(above[n])) as u8,
                4 => paeth(left, above[n], corner),
                _ => 0,
            };
            line[n] = line[n].wrapping_add(guess);
        }
        out.extend_from_slice(&line);
        line.resize(width, 0);
        above = line;
    }
    out
}

fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let (a, b, c) = (i32::from(left), i32::from(above), i32::from(corner));
    let guess = a + b - c;
    let (to_a, to_b, to_c) = ((guess - a).abs(), (guess - b).abs(), (guess - c).abs());
    if to_a <= to_b && to_a <= to_c {
        left
    } else if to_b <= to_c {
        above
    } else {
        corner
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn packed_texts_are_unpacked() {
        assert_eq!(ascii_85(b"87cURD]i,\"Ebo80~>"), b"Hello World!");
        assert_eq!(ascii_hex(b"48 65 6c6C 6f>"), b"Hello");
        assert_eq!(
            run_length(&[2, b'a', b'b', b'c', 254, b'x', 128], &mut Budget::default()).unwrap(),
            b"abcxxx"
        );
        // The example of the specification, 7.4.4.2.
        let packed = [0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01];
        let plain = [45, 45, 45, 45, 45, 65, 45, 45, 45, 66];
        assert_eq!(lzw(&packed, None, &mut Budget::default()).unwrap(), plain);
    }

    #[test]
    fn predictors_are_taken_back() {
        let parameters =
            Dict::from([("Predictor".into(), Object::Number(12.0)), ("Columns".into(), Object::Number(3.0))]);
        assert_eq!(predicted(&[2, 1, 2, 3, 2, 1, 1, 1], Some(&parameters)), [1, 2, 3, 2, 3, 4]);
    }
}
