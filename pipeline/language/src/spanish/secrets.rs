//! Secrets that people are asked for.

use crate::secrets::SecretWords;

pub(crate) const WORDS: SecretWords = SecretWords {
    secrets: &[
        "pin",
        "contrasena",
        "su clave",
        "codigo de seguridad",
        "codigo de acceso",
        "seguro social",
        "numero de tarjeta",
        "numero de la tarjeta",
        "numero de su tarjeta",
    ],
    asks: &[
        "cual es",
        "me da",
        "me puede dar",
        "me dice",
        "digame",
        "deme",
        "lea",
        "leame",
        "necesito",
        "me puede decir",
        "marque",
        "ingrese",
    ],
};
