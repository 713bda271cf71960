//! Public keys as authenticators write them (COSE), and signatures with them.

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use ciborium::Value;

/// What we ask for, the best liked first: ES256, EdDSA, and RS256 for Windows.
pub const ALGORITHMS: [i64; 3] = [-7, -8, -257];

/// A public key that can be checked against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// An uncompressed point.
    Es256(Vec<u8>),
    EdDsa(Vec<u8>),
    Rs256 {
        n: Vec<u8>,
        e: Vec<u8>,
    },
}

impl Key {
    /// Reads a key; what is of another kind than we asked for is none.
    #[must_use]
    pub fn read(cose: &[u8]) -> Option<Self> {
        let Value::Map(fields) = ciborium::from_reader::<Value, _>(cose).ok()? else { return None };
        let field = |label: i64| {
            let is_it =
                |key: &Value| key.as_integer().is_some_and(|key| i128::from(key) == i128::from(label));
            fields.iter().find(|(key, _)| is_it(key)).map(|(_, value)| value)
        };
        let number = |label| field(label).and_then(Value::as_integer).and_then(|n| i64::try_from(n).ok());
        let bytes = |label| field(label).and_then(Value::as_bytes).cloned();
        match (number(1)?, number(3)?) {
            // P-256
            (2, -7) if number(-1) == Some(1) => {
                let (x, y) = (bytes(-2)?, bytes(-3)?);
                (x.len() == 32 && y.len() == 32).then(|| Self::Es256([&[4], &x[..], &y[..]].concat()))
            }
            // Ed25519
            (1, -8) if number(-1) == Some(6) => bytes(-2).filter(|x| x.len() == 32).map(Self::EdDsa),
            (3, -257) => {
                let strip = |n: Vec<u8>| n.into_iter().skip_while(|byte| *byte == 0).collect::<Vec<_>>();
                let (n, e) = (strip(bytes(-1)?), strip(bytes(-2)?));
                ((256..=1024).contains(&n.len()) && e.len() <= 8).then_some(Self::Rs256 { n, e })
            }
            _ => None,
        }
    }

    /// Whether this key's owner signed `message`.
    #[must_use]
    pub fn signed(&self, message: &[u8], signature: &[u8]) -> bool {
        match self {
            Self::Es256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(message, signature).is_ok()
            }
            Self::EdDsa(key) => UnparsedPublicKey::new(&ED25519, key).verify(message, signature).is_ok(),
            Self::Rs256 { n, e } => {
                let key = RsaPublicKeyComponents { n, e };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature).is_ok()
            }
        }
    }
}
