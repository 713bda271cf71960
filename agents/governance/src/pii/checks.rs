//! Check digits and ranges of numbers that have some. All take ASCII digits as values 0 to 9.

/// The check of payment cards. All zeros pass no check.
pub(super) fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(n, d)| (n % 2 == 1, u32::from(*d)))
        .map(|(double, d)| if double { if d > 4 { d * 2 - 9 } else { d * 2 } } else { d })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|d| *d != 0)
}

/// First digits that card networks use.
pub(super) fn card_range(digits: &[u8]) -> bool {
    matches!(digits.first(), Some(2..=6)) || digits.starts_with(&[1, 8, 0, 0])
}

/// The short cards of one network: twelve digits.
pub(super) fn maestro(digits: &[u8]) -> bool {
    let range = matches!(digits, [5, 0 | 6 | 7 | 8, ..] | [6, 3 | 7, ..]);
    digits.len() == 12 && range && luhn(digits)
}

/// Social security numbers and individual taxpayer numbers that can have been given out.
pub(super) fn ssn(digits: &[u8]) -> bool {
    digits.len() == 9
        && digits[..3] != [0, 0, 0]
        && digits[..3] != [6, 6, 6]
        && digits[3..5] != [0, 0]
        && digits[5..] != [0, 0, 0, 0]
}

/// Ten digits after the North American plan: area and exchange begin with 2 to 9 and are no service code such as 911.
pub(super) fn nanp(ten: &[u8]) -> bool {
    ten.len() == 10 && code(&ten[..3]) && exchange(&ten[3..])
}

/// An exchange at the front: 2 to 9, and not N11.
pub(super) fn exchange(digits: &[u8]) -> bool {
    digits.len() >= 3 && code(&digits[..3])
}

fn code(three: &[u8]) -> bool {
    three[0] >= 2 && three[1..3] != [1, 1]
}

/// Routing numbers of the American Bankers Association: the first two digits are a district's, the last is a check.
pub(super) fn aba(nine: &[u8]) -> bool {
    let district = nine.len() == 9 && matches!(nine[0] * 10 + nine[1], 0..=12 | 21..=32 | 61..=72 | 80);
    let weights = [3, 7, 1, 3, 7, 1, 3, 7, 1];
    let sum: u32 = nine.iter().zip(weights).map(|(d, w)| u32::from(*d) * w).sum();
    district && sum != 0 && sum.is_multiple_of(10)
}

/// An account number after ISO 13616, without blanks, in capitals: the remainder by 97 is 1.
pub(super) fn iban(account: &str) -> bool {
    let bytes = account.as_bytes();
    if !(15..=34).contains(&bytes.len())
        || !bytes[..2].iter().all(u8::is_ascii_uppercase)
        || !bytes[2..4].iter().all(u8::is_ascii_digit)
    {
        return false;
    }
    let rest = bytes[4..].iter().chain(&bytes[..4]).try_fold(0_u32, |rest, byte| match byte {
        b'0'..=b'9' => Some((rest * 10 + u32::from(byte - b'0')) % 97),
        b'A'..=b'Z' => Some((rest * 100 + u32::from(byte - b'A') + 10) % 97),
        _ => None,
    });
    rest == Some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> Vec<u8> {
        text.bytes().map(|b| b - b'0').collect()
    }

    #[test]
    fn numbers_with_a_wrong_check_digit_or_range_are_none() {
        assert!(luhn(&d("4111111111111111")) && !luhn(&d("4111111111111112")) && !luhn(&[0; 16]));
        assert!(aba(&d("021000021")) && !aba(&d("021000022")));
        assert!(iban("GB82WEST12345698765432") && !iban("GB82WEST12345698765433") && !iban("GB8"));
        assert!(
            ssn(&d("078051120")) && !ssn(&d("000051120")) && !ssn(&d("666051120")) && !ssn(&d("078001120"))
        );
        assert!(nanp(&d("2025550143")) && !nanp(&d("1025550143")) && !nanp(&d("2021550143")));
        assert!(!nanp(&d("9115550143")) && !nanp(&d("2029110143")));
    }
}
