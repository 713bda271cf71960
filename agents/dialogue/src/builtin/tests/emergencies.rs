//! Emergencies are heard in any state; talk about fire departments is not one.

use super::{LEXICAL, Phone};
use governance::danger::Level;

const EMERGENCIES: &[&str] = &[
    "My house is on fire!",
    "There's a fire in the kitchen",
    "fire fire help",
    "He's not breathing.",
    "she isn't breathing and she's turning blue",
    "My husband is having a heart attack",
    "I think my dad is having a stroke",
    "He has a gun.",
    "Somebody's breaking in right now",
    "there is a man with a knife outside",
    "I smell gas in my basement",
    "There's a strong smell of gas, smells like rotten eggs",
    "Call 911!",
    "Please call nine one one.",
    "I need an ambulance",
    "This is an emergency",
    "my baby is choking",
    "Someone is drowning in the river",
    "A child fell in the creek, help",
    "She took too many pills",
    "I want to kill myself",
    "I don't want to live anymore",
    "my son says he is going to kill himself",
    "She's unconscious and won't wake up",
    "He's bleeding badly",
    "there's smoke everywhere",
    "the building is burning down",
    "They're shooting outside my house",
    "I just heard gunshots",
    "my wife's water broke",
    "my little girl is missing",
    "we are trapped in the elevator",
    "The carbon monoxide detector is going off",
    "a car is in the river",
    "The power line is down and it's sparking",
    "um the neighbors house is on fire right now",
    "he's having a seizure",
    "I'm having chest pains",
    "my boyfriend is hitting me",
    "There was a fire last week and now it's burning again, it's on fire right now",
    "there's a bomb in the building",
    "nine one one",
    "Someone's been shot",
    "I think she overdosed",
    // Household words do not hide danger.
    "I have an emergency, my toilet is overflowing and my mother fell",
    "This is an emergency, there's smoke coming from the dishwasher",
    "I have an emergency, water from the sink is in the electrical outlet",
    "It's an emergency, my kid is stuck in the bathtub",
    "I have an emergency, a raccoon bit me",
    "I have an emergency, my basement is flooding",
    "Call 911, my toilet is overflowing",
    "I have an emergency",
];

/// Called an emergency, but no danger to life.
const NUISANCES: &[&str] = &[
    "I have an emergency, my toilet is overflowing.",
    "This is an emergency! My sink is clogged.",
    "It's an emergency, there's a raccoon in my trash.",
    "I've got a plumbing emergency",
    "I have an emergency, I lost my keys",
];

#[test]
fn nuisances_get_help_and_still_hear_of_911() {
    for text in NUISANCES {
        let mut phone = Phone::new(&LEXICAL, false);
        let reply = phone.say(text);
        assert!(reply.contains("911") && !phone.urgent, "{text}: {reply}");
        let advice = LEXICAL.dialogue.script().prompt("emergency_unless")[0].as_str();
        assert!(reply.len() > advice.len() + 10, "{text}: more than the advice: {reply}");
    }
}

const ORDINARY: &[&str] = &[
    "What are the fire department's hours?",
    "I need a fire extinguisher inspection.",
    "How do I get a burn permit?",
    "Can I burn leaves in my yard?",
    "There was a fire last week at my shop and I need a copy of the report.",
    "I want to report an accident from yesterday. My mother slipped and broke her arm.",
    "My husband had a heart attack last year and needs rides to the doctor.",
    "Where do I pay my gas bill?",
    "When do the fireworks start?",
    "Do you offer CPR classes?",
    "Where can I get a gun permit?",
    "I got fired from my job and need help with rent.",
    "How do I get a copy of a 911 recording?",
    "When should I call 911 instead of this number?",
    "It's not an emergency, I just have a question.",
    "The street light is out.",
    "There's a dead deer on the road.",
    "Is there a burn ban?",
    "I need a smoke detector installed.",
    "Is the fire marshal in today?",
    "These taxes are killing me.",
    "I'm dying to know when the pool opens.",
    "Are emergency shelters open tonight?",
    "Do you have an emergency preparedness guide?",
    "How do I apply for emergency housing assistance?",
    "My car caught fire last month and I want to file a claim.",
    "The fire hydrant on our street is leaking.",
    "Someone stole my bike yesterday, where do I get a police report?",
    "I live at 911 Oak Street.",
    "My number is 202 555 9110.",
    "How much does a fire pit permit cost?",
    "There was a robbery at our store last Tuesday and I want the report.",
    "I'd like to report a broken fire alarm panel, alarm system inspection is due.",
    "Nobody was hurt.",
    "What's the number for the sheriff's non emergency line?",
    "My dog had a seizure last week, do I still need a license?",
    "My smoke alarm needs a battery.",
    "I fell off a ladder two weeks ago at the depot.",
    "Where is the shooting range?",
    "He passed away last year and I need a death certificate.",
    "Can I shoot you an email?",
    "Can you kill the weeds on the roadside?",
    "I want to sign up for the suicide prevention training.",
    "They're holding a bonfire on Saturday, do they need a permit?",
];

#[test]
fn emergencies_are_heard_at_once_in_any_state() {
    let openings: [&[&str]; 4] = [
        &[],
        &["I want to report an incident."],
        &["I'd like to book a safety inspection", "12 Main Street"],
        &["I want to leave a message"],
    ];
    for lines in openings {
        for text in EMERGENCIES {
            let mut phone = Phone::new(&LEXICAL, false);
            for line in lines {
                phone.say(line);
            }
            let before = phone.state.tasks.len();
            let reply = phone.say(text);
            assert!(reply.contains("911") && phone.urgent, "{text}: {reply}");
            assert_eq!(phone.state.tasks.len(), before, "{text}: the task is kept");
        }
    }
}

#[test]
fn thoughts_of_suicide_name_988() {
    for text in [
        "I want to kill myself",
        "I don't want to live anymore",
        "my son is suicidal",
        "I'm going to end my life",
    ] {
        let reply = Phone::new(&LEXICAL, false).say(text);
        assert!(reply.contains("988") && reply.contains("911"), "{text}: {reply}");
    }
}

#[test]
fn ordinary_talk_is_no_emergency() {
    let wrong: Vec<_> = ORDINARY
        .iter()
        .filter_map(|t| LEXICAL.dialogue.script().emergencies.find(t).map(|e| (t, e.kind)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(EMERGENCIES.len() >= 30 && ORDINARY.len() >= 30);
}

#[test]
fn all_emergencies_are_found() {
    let missed: Vec<_> =
        EMERGENCIES.iter().filter(|t| LEXICAL.dialogue.script().emergencies.find(t).is_none()).collect();
    assert!(missed.is_empty(), "{missed:?}");
}

const SPANISH: &[&str] = &[
    "¡Mi casa se está quemando!",
    "Hay un incendio en la cocina",
    "fuego, fuego, ayuda",
    "No respira.",
    "mi bebé no puede respirar",
    "A mi esposo le está dando un infarto",
    "creo que a mi papá le dio un derrame cerebral",
    "Tiene una pistola.",
    "Alguien se está metiendo a mi casa",
    "hay un hombre con un cuchillo afuera, tiene un cuchillo",
    "Huele a gas en el sótano",
    "Hay una fuga de gas, huele a huevo podrido",
    "¡Llame al 911!",
    "comuníqueme al nueve uno uno",
    "Necesito una ambulancia",
    "Manden una ambulancia por favor",
    "Esta es una emergencia",
    "Emergencia",
    "es una emergencia ayúdeme",
    "mi hijo se está atragantando",
    "Alguien se está ahogando en el río",
    "Un niño se cayó al río",
    "Se tomó todas las pastillas",
    "Me quiero matar",
    "Ya no quiero vivir",
    "mi hijo dice que se va a suicidar",
    "Está inconsciente y no despierta",
    "Está sangrando mucho",
    "hay mucho humo por todas partes",
    "el edificio está en llamas",
    "Están disparando afuera de mi casa",
    "oí balazos",
    "a mi esposa se le rompió la fuente",
    "mi niña está perdida",
    "estamos atrapados en el elevador",
    "está sonando la alarma de monóxido",
    "un carro cayó al río",
    "Hay un cable de luz caído echando chispas",
    "la casa del vecino se está incendiando ahorita",
    "se está convulsionando, está convulsionando",
    "me duele mucho el pecho",
    "mi novio me está golpeando",
    "hay una bomba en el edificio",
    "nueve uno uno",
    "le dispararon a mi hermano",
    "creo que tuvo una sobredosis, ayuda",
    "me estoy muriendo",
    "auxilio",
    "Manden a la policía ahora",
    "llamen a los bomberos",
    // Palabras de la casa no esconden el peligro.
    "Tengo una emergencia, se inundó el baño y mi mamá se cayó",
    "Es una emergencia, sale humo de la lavadora",
];

const SPANISH_ORDINARY: &[&str] = &[
    "¿Cuál es el horario de la oficina de los bomberos?",
    "Necesito una inspección del extintor de incendios.",
    "¿Cómo saco un permiso para quemar?",
    "¿Puedo quemar hojas en mi jardín?",
    "La semana pasada hubo un incendio en mi tienda y necesito una copia del reporte.",
    "Quiero reportar un accidente de ayer. Mi mamá se resbaló y se rompió el brazo.",
    "Mi esposo tuvo un infarto el año pasado y necesita transporte al doctor.",
    "¿Dónde pago el recibo del gas?",
    "¿A qué hora empiezan los fuegos artificiales?",
    "¿Dan clases de primeros auxilios?",
    "¿Dónde saco un permiso para portar armas?",
    "Me despidieron y necesito ayuda con la renta.",
    "¿Cuándo debo llamar al 911 en vez de este número?",
    "No es una emergencia, solo tengo una pregunta.",
    "La luz de la calle no prende.",
    "Hay un venado muerto en la carretera.",
    "¿Hay prohibición de quemas?",
    "Necesito un detector de humo.",
    "Me están matando los impuestos.",
    "Me muero de ganas de saber cuándo abre la alberca.",
    "¿Están abiertos los albergues de emergencia, el refugio de emergencia?",
    "¿Tienen una guía de preparación para emergencias?",
    "El hidrante de mi calle gotea.",
    "Alguien me robó la bicicleta ayer, ¿dónde saco un reporte policial?",
    "Vivo en el 911 de la calle Oak.",
    "Mi número es 202 555 9110.",
    "La bomba de agua de mi casa hace ruido.",
    "Nadie salió herido.",
    "¿Cuál es el número para cosas que no sean emergencias?",
    "Mi perro tuvo una convulsión la semana pasada, ¿necesita licencia?",
    "Me caí de una escalera hace dos semanas en el depósito.",
    "¿Dónde está el campo de tiro?",
    "Falleció el año pasado y necesito el acta de defunción.",
    "¿Puede matar la maleza de la orilla del camino? Es para matar hierba.",
    "Quiero inscribirme en la clase de prevención del suicidio.",
    "Mi suegra vino y no respeta el horario de la basura.",
    "Quiero saber si hay camión el sábado.",
    "Hay un perro suelto en la calle.",
];

#[test]
fn spanish_emergencies_are_heard_in_either_language_and_any_state() {
    use pipeline::ports::Language;
    let lines: [(Language, &[Language]); 3] = [
        (Language::Es, &[Language::Es]),
        (Language::En, &[Language::En, Language::Es]),
        (Language::En, &[Language::En]),
    ];
    let mut missed = Vec::new();
    for (language, spoken) in lines {
        for text in SPANISH {
            let mut phone = Phone::speaking(&LEXICAL, false, language, spoken);
            phone.say(if language == Language::Es {
                "Quiero reportar un incidente"
            } else {
                "I want to report an incident"
            });
            let reply = phone.say(text);
            if !(reply.contains("marque el 911") && phone.urgent && phone.state.tasks.len() == 1) {
                missed.push(format!("{text} ({language:?} {spoken:?}): {reply}"));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(SPANISH.len() >= 50);
}

#[test]
fn ordinary_spanish_talk_is_no_emergency_and_stays_spanish() {
    use pipeline::ports::Language;
    let mut wrong = Vec::new();
    for text in SPANISH_ORDINARY {
        for language in [Language::En, Language::Es] {
            if let Some(found) = LEXICAL.dialogue.script_in(language).emergencies.find(text) {
                wrong.push(format!("{text}: {} {language:?}", found.kind));
            }
        }
        if language::language_of(text) == Some(Language::En) {
            wrong.push(format!("{text}: taken for English"));
        }
    }
    for text in ORDINARY.iter().chain(EMERGENCIES).chain(NUISANCES) {
        if language::language_of(text) == Some(Language::Es) {
            wrong.push(format!("{text}: taken for Spanish"));
        }
        let english = LEXICAL.dialogue.script().emergencies.find(text);
        if english.is_none() && LEXICAL.dialogue.script_in(Language::Es).emergencies.find(text).is_some() {
            wrong.push(format!("{text}: a Spanish emergency"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(SPANISH_ORDINARY.len() >= 30);
}

#[test]
fn another_day_is_asked_about_and_not_told() {
    let level = |text: &str| LEXICAL.dialogue.danger(text, None).0;
    for text in [
        "we were at the courthouse yesterday and my uncle went down on the steps and twisted his knee",
        "my neighbor fell off her porch last week and she can't get up the stairs",
        "ayer mi tía se cayó en los escalones y se lastimó la cadera",
    ] {
        assert!(level(text) < Level::Sure, "{text}");
    }
    for text in [
        "he fell off the roof yesterday and now he can't breathe",
        "i've wanted to kill myself since yesterday",
    ] {
        assert_eq!(level(text), Level::Sure, "{text}");
    }
}
