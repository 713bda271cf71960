//! What a device says when it makes a passkey, and when it uses one.

use ciborium::Value as Cbor;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::Party;
use super::cose::Key;

/// Bytes of anything a device sends, at most.
const LONGEST: usize = 16 * 1024;
/// Bytes of an id: as the standard bounds it.
const LONGEST_ID: usize = 1023;
/// Flags of an authenticator's data: somebody was there, was recognized, and a key comes with it.
const PRESENT: u8 = 0x01;
const VERIFIED: u8 = 0x04;
const WITH_KEY: u8 = 0x40;

/// Why a passkey does not count. For log and audit; people are told less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Broken,
    OtherAct,
    OtherOrigin,
    OtherParty,
    NotVerified,
    OtherAlgorithm,
    Signature,
    /// The count of uses did not rise: there may be a copy of the key.
    Copied,
}

impl Fault {
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::OtherAct => "other_act",
            Self::OtherOrigin => "other_origin",
            Self::OtherParty => "other_party",
            Self::NotVerified => "not_verified",
            Self::OtherAlgorithm => "other_algorithm",
            Self::Signature => "signature",
            Self::Copied => "copied",
        }
    }
}

/// A passkey that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    pub credential_id: Vec<u8>,
    /// As the device wrote it.
    pub public_key: Vec<u8>,
    pub count: u32,
}

/// What a device signed, as it came.
#[derive(Clone, Copy, Debug)]
pub struct Used<'a> {
    pub client_data: &'a [u8],
    pub authenticator_data: &'a [u8],
    pub signature: &'a [u8],
}

/// What the browser adds: the act, the challenge, and the page.
#[derive(Deserialize)]
struct ClientData {
    #[serde(rename = "type")]
    act: String,
    challenge: String,
    origin: String,
    #[serde(rename = "crossOrigin", default)]
    cross_origin: bool,
}

/// The challenge that was answered, once act and page are right. Whether it was ours is not known yet.
fn challenge(client_data: &[u8], act: &str, party: &Party) -> Result<String, Fault> {
    if client_data.len() > LONGEST {
        return Err(Fault::Broken);
    }
    let said: ClientData = serde_json::from_slice(client_data).map_err(|_| Fault::Broken)?;
    if said.act != act {
        return Err(Fault::OtherAct);
    }
    if said.cross_origin || said.origin != party.origin {
        return Err(Fault::OtherOrigin);
    }
    Ok(said.challenge)
}

/// Somebody's data, past its fixed part, and the count.
fn authenticator(data: &[u8], party: &Party) -> Result<(u8, u32), Fault> {
    if data.len() < 37 || data.len() > LONGEST {
        return Err(Fault::Broken);
    }
    if data[..32] != Sha256::digest(&party.id)[..] {
        return Err(Fault::OtherParty);
    }
    let flags = data[32];
    if flags & PRESENT == 0 || flags & VERIFIED == 0 {
        return Err(Fault::NotVerified);
    }
    let count = u32::from_be_bytes(data[33..37].try_into().map_err(|_| Fault::Broken)?);
    Ok((flags, count))
}

/// A passkey that a device made, and the challenge that it answered.
pub fn made(client_data: &[u8], attestation: &[u8], party: &Party) -> Result<(Made, String), Fault> {
    let challenge = challenge(client_data, "webauthn.create", party)?;
    if attestation.len() > LONGEST {
        return Err(Fault::Broken);
    }
    let Ok(Cbor::Map(fields)) = ciborium::from_reader::<Cbor, _>(attestation) else {
        return Err(Fault::Broken);
    };
    // Who made the device is not asked, so what vouches for it is not looked at.
    let data = fields.iter().find(|(name, _)| name.as_text() == Some("authData"));
    let data = data.and_then(|(_, data)| data.as_bytes()).ok_or(Fault::Broken)?;
    let (flags, count) = authenticator(data, party)?;
    if flags & WITH_KEY == 0 {
        return Err(Fault::Broken);
    }
    // 16 bytes say the device's model.
    let rest = data.get(53..).ok_or(Fault::Broken)?;
    let length: [u8; 2] = rest.get(..2).and_then(|length| length.try_into().ok()).ok_or(Fault::Broken)?;
    let length = usize::from(u16::from_be_bytes(length));
    let credential_id = rest.get(2..2 + length).filter(|id| !id.is_empty() && id.len() <= LONGEST_ID);
    let credential_id = credential_id.ok_or(Fault::Broken)?.to_vec();
    // After the key there may be extensions.
    let after = &rest[2 + length..];
    let mut unread = after;
    ciborium::from_reader::<Cbor, _>(&mut unread).map_err(|_| Fault::Broken)?;
    let public_key = after[..after.len() - unread.len()].to_vec();
    Key::read(&public_key).ok_or(Fault::OtherAlgorithm)?;
    Ok((Made { credential_id, public_key, count }, challenge))
}

/// The challenge that a use answers.
pub fn challenge_of(used: Used<'_>, party: &Party) -> Result<String, Fault> {
    challenge(used.client_data, "webauthn.get", party)
}

/// The count after a use that is good.
pub fn used(used: Used<'_>, public_key: &[u8], kept_count: u32, party: &Party) -> Result<u32, Fault> {
    let (_, count) = authenticator(used.authenticator_data, party)?;
    let key = Key::read(public_key).ok_or(Fault::OtherAlgorithm)?;
    let message = [used.authenticator_data, &Sha256::digest(used.client_data)[..]].concat();
    if used.signature.len() > LONGEST || !key.signed(&message, used.signature) {
        return Err(Fault::Signature);
    }
    // Keys that are shared between devices do not count: they stay at none.
    if (count != 0 || kept_count != 0) && count <= kept_count {
        return Err(Fault::Copied);
    }
    Ok(count)
}

#[cfg(test)]
pub mod tests {
    use aws_lc_rs::rand::SystemRandom;
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::json;

    use super::*;

    /// A device that does what it is told.
    #[derive(Debug)]
    pub struct Device {
        pub pair: EcdsaKeyPair,
        pub id: Vec<u8>,
        pub party: Party,
        pub flags: u8,
        pub count: u32,
    }

    impl Device {
        pub fn new(party: Party) -> Self {
            let signing = &ECDSA_P256_SHA256_ASN1_SIGNING;
            let pair = EcdsaKeyPair::generate_pkcs8(signing, &SystemRandom::new()).unwrap();
            let pair = EcdsaKeyPair::from_pkcs8(signing, pair.as_ref()).unwrap();
            Self { pair, id: vec![7; 32], party, flags: PRESENT | VERIFIED, count: 0 }
        }

        pub fn client_data(&self, act: &str, challenge: &str) -> Vec<u8> {
            let challenge = URL_SAFE_NO_PAD.encode(challenge);
            json!({ "type": act, "challenge": challenge, "origin": self.party.origin })
                .to_string()
                .into_bytes()
        }

        fn data(&self, flags: u8) -> Vec<u8> {
            [&Sha256::digest(&self.party.id)[..], &[self.flags | flags], &self.count.to_be_bytes()].concat()
        }

        pub fn attestation(&self) -> Vec<u8> {
            let point = self.pair.public_key().as_ref();
            let pair = |label: i64, value: Cbor| (Cbor::from(label), value);
            let key = Cbor::Map(vec![
                pair(1, 2.into()),
                pair(3, (-7).into()),
                pair(-1, 1.into()),
                pair(-2, point[1..33].to_vec().into()),
                pair(-3, point[33..].to_vec().into()),
            ]);
            let mut data = [&self.data(WITH_KEY)[..], &[0; 16], &32u16.to_be_bytes(), &self.id].concat();
            ciborium::into_writer(&key, &mut data).unwrap();
            let all = Cbor::Map(vec![
                ("fmt".into(), "none".into()),
                ("attStmt".into(), Cbor::Map(vec![])),
                ("authData".into(), data.into()),
            ]);
            let mut written = Vec::new();
            ciborium::into_writer(&all, &mut written).unwrap();
            written
        }

        /// Authenticator data and signature.
        pub fn sign(&self, client_data: &[u8]) -> (Vec<u8>, Vec<u8>) {
            let data = self.data(0);
            let message = [&data[..], &Sha256::digest(client_data)[..]].concat();
            let signature = self.pair.sign(&SystemRandom::new(), &message).unwrap();
            (data, signature.as_ref().to_vec())
        }
    }

    pub fn party() -> Party {
        Party { id: "voice.example.gov".to_owned(), origin: "https://voice.example.gov".to_owned() }
    }

    fn register(device: &Device) -> Result<Made, Fault> {
        let client_data = device.client_data("webauthn.create", "c");
        made(&client_data, &device.attestation(), &party()).map(|(made, challenge)| {
            assert_eq!(challenge, URL_SAFE_NO_PAD.encode("c"));
            made
        })
    }

    fn sign_in(device: &Device, made: &Made, kept: u32) -> Result<u32, Fault> {
        let client_data = device.client_data("webauthn.get", "d");
        let (authenticator_data, signature) = device.sign(&client_data);
        let one = Used {
            client_data: &client_data,
            authenticator_data: &authenticator_data,
            signature: &signature,
        };
        challenge_of(one, &party())?;
        used(one, &made.public_key, kept, &party())
    }

    #[test]
    fn a_passkey_is_made_and_used_and_its_count_must_rise() {
        let mut device = Device::new(party());
        let made = register(&device).unwrap();
        assert_eq!((made.credential_id.as_slice(), made.count), (device.id.as_slice(), 0));
        assert_eq!(sign_in(&device, &made, 0), Ok(0), "keys that are shared between devices do not count");
        device.count = 5;
        assert_eq!(sign_in(&device, &made, 4), Ok(5));
        assert_eq!(sign_in(&device, &made, 5), Err(Fault::Copied));
        device.count = 0;
        assert_eq!(sign_in(&device, &made, 5), Err(Fault::Copied));
    }

    #[test]
    fn what_is_not_for_us_or_not_by_its_owner_is_refused() {
        let good = Device::new(party());
        let made = register(&good).unwrap();
        let elsewhere = |id: &str, origin: &str| Party { id: id.to_owned(), origin: origin.to_owned() };
        let origin = "https://voice.example.gov";
        for (fault, party, flags) in [
            (Fault::OtherOrigin, elsewhere("voice.example.gov", "https://evil.example"), 5),
            (Fault::OtherOrigin, elsewhere("voice.example.gov", "http://voice.example.gov"), 5),
            (Fault::OtherParty, elsewhere("evil.example", origin), 5),
            (Fault::NotVerified, self::party(), PRESENT),
            (Fault::NotVerified, self::party(), VERIFIED),
        ] {
            let device = Device { flags, party, ..Device::new(self::party()) };
            assert_eq!(register(&device), Err(fault));
            assert_eq!(sign_in(&device, &made, 0), Err(fault));
        }
        assert_eq!(sign_in(&Device::new(party()), &made, 0), Err(Fault::Signature), "another's key");
        let client_data = good.client_data("webauthn.create", "c");
        assert_eq!(challenge(&client_data, "webauthn.get", &party()), Err(Fault::OtherAct));
        let framed = br#"{"type":"webauthn.get","challenge":"c","origin":"https://voice.example.gov","crossOrigin":true}"#;
        assert_eq!(challenge(framed, "webauthn.get", &party()), Err(Fault::OtherOrigin));
    }

    #[test]
    fn broken_data_is_refused_wherever_it_breaks() {
        let device = Device::new(party());
        let client_data = device.client_data("webauthn.create", "c");
        let whole = device.attestation();
        for length in 0..whole.len() {
            assert!(made(&client_data, &whole[..length], &party()).is_err(), "{length}");
        }
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 0xff;
            let _ = made(&client_data, &flipped, &party());
        }
        assert_eq!(made(&vec![b' '; 20_000], &whole, &party()), Err(Fault::Broken));
        assert_eq!(made(&client_data, &vec![0x9f; 20_000], &party()), Err(Fault::Broken));
        assert_eq!(
            made(&client_data, &vec![0x9f; 10_000], &party()),
            Err(Fault::Broken),
            "no depth breaks us"
        );
    }

    #[test]
    fn keys_of_kinds_that_were_not_asked_for_are_none() {
        let pair = |label: i64, value: Cbor| (Cbor::from(label), value);
        let key = |fields: Vec<(Cbor, Cbor)>| {
            let mut written = Vec::new();
            ciborium::into_writer(&Cbor::Map(fields), &mut written).unwrap();
            Key::read(&written)
        };
        let rsa = |n: usize| {
            key(vec![
                pair(1, 3.into()),
                pair(3, (-257).into()),
                pair(-1, vec![9u8; n].into()),
                pair(-2, vec![1u8, 0, 1].into()),
            ])
        };
        assert!(rsa(256).is_some() && rsa(128).is_none() && rsa(2_000).is_none());
        let point = |alg: i64, crv: i64, n: usize| {
            key(vec![
                pair(1, 2.into()),
                pair(3, alg.into()),
                pair(-1, crv.into()),
                pair(-2, vec![9u8; n].into()),
                pair(-3, vec![9u8; n].into()),
            ])
        };
        assert!(point(-7, 1, 32).is_some());
        assert!(point(-7, 2, 32).is_none() && point(-35, 1, 32).is_none() && point(-7, 1, 31).is_none());
        assert!(
            key(vec![
                pair(1, 1.into()),
                pair(3, (-8).into()),
                pair(-1, 6.into()),
                pair(-2, vec![9u8; 32].into())
            ])
            .is_some()
        );
        assert!(Key::read(b"").is_none() && Key::read(&[0xff]).is_none());
    }
}
