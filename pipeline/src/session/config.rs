//! Every number that shapes a conversation, in one place.

use std::sync::Arc;
use std::time::Duration;

use telephony::playout::PlayOutConfig;

use crate::cost::Prices;
use crate::ports::Language;
use crate::turn::TurnId;

/// Durations and thresholds of a session. The defaults suit the embedded recogniser on a telephone line.
#[derive(Clone, Debug)]
pub struct SessionConfig {
    /// Number of the greeting's turn: 0, or the next free one when a call goes on over a new stream.
    pub first_turn: TurnId,
    pub play_out: PlayOutConfig,
    /// Speech score from which a window counts as speech.
    pub speech_on: f32,
    /// Speech score under which a window counts as silence; between the two nothing changes.
    pub speech_off: f32,
    /// Speech score from which one window is enough to lower our voice.
    pub duck_on: f32,
    /// Windows of speech in a row before anything is believed (32 ms each).
    pub onset_windows: u32,
    /// Silence after which the recogniser is asked for a final and an end-of-turn judgement.
    pub pause_after: Duration,
    /// Shortest silence that ends a turn, for a caller who is surely complete.
    pub complete_silence: Duration,
    /// Silence that a "no" needs, and a number, an address or a story at least.
    pub incomplete_silence: Duration,
    /// Longest silence that a turn needs which answers no question of these kinds.
    pub later_silence: Duration,
    /// Longest silence inside a number, an address, a story or an unfinished sentence.
    pub patient_silence: Duration,
    /// How long a decided turn that has its text waits for a better one.
    pub better_text: Duration,
    /// Shortest and longest silence that ends what the caller says first.
    pub first_silence: Duration,
    pub opening_silence: Duration,
    /// Silence for a pause that is as likely an end as not: in what the caller says first, and later.
    pub first_wait: Duration,
    pub later_wait: Duration,
    /// How much shorter for each unit of log-odds that it is the end.
    pub wait_for_odds: Duration,
    /// How long a decided turn waits for its final text.
    pub recogniser_deadline: Duration,
    /// End-of-turn probability from which a reply is begun on a guess. A model call that is thrown away costs.
    pub speculate_from: f32,
    /// Silence after which an interim text that reads complete is worth a guess too: a recogniser over the network
    /// takes longer for its final than for its words. `None`: only finals are.
    pub interim_guess: Option<Duration>,
    /// Speech over our reply that is an interruption when words confirm it.
    pub barge_in_speech: Duration,
    /// The same while the reply has only just begun.
    pub barge_in_speech_early: Duration,
    /// How long a reply counts as just begun.
    pub early_reply: Duration,
    /// Speech over our reply that is an interruption even though the recogniser is silent about it.
    pub barge_in_unheard: Duration,
    /// How long the reply stays ducked for a sound that turns out to be nothing.
    pub duck_limit: Duration,
    /// From our decision to the onset of speech that may go on with the same turn, and how long our reply may have been
    /// heard by then. Before our first word any speech may.
    pub rejoin_within: Duration,
    pub rejoin_heard: Duration,
    /// Speech with words in it that takes the decision back.
    pub take_back_speech: Duration,
    /// Speech that does even though the recogniser is silent about it.
    pub rejoin_unheard: Duration,
    /// How much of a yes-or-no question may be left to say when the answer to it counts.
    pub answer_ahead: Duration,
    /// Silence after the turn-end decision before the filler is said.
    pub filler_after: Duration,
    /// From the end of a spoken filler to a soft sound, and from one soft sound to the next.
    pub soft_sound_every: Duration,
    /// Time from the decision to a first segment before we apologise.
    pub reply_deadline: Duration,
    /// Silence after our reply was heard before the caller is asked whether they are there.
    pub no_input: Duration,
    /// The same once two prompts in a row brought nothing.
    pub no_input_last: Duration,
    /// The same when the caller asked us to wait.
    pub no_input_waiting: Duration,
    /// Unanswered prompts before the call is ended without the responder's help.
    pub no_input_limit: u32,
    /// Speech without a word that is worth asking about.
    pub unintelligible_speech: Duration,
    /// Words of which the recogniser is less sure than this (0–1) are marked as unsure.
    pub unsure_below: f32,
    pub longest_call: Duration,
    /// Time that the last words of a caller who hung up may take to be recognised and acted on.
    pub closing: Duration,
    /// Time that the last record may take to be durable.
    pub last_record: Duration,
    /// How long the person who has the call may send no sound before the caller is asked for a moment, and before the agent
    /// goes on.
    pub person_silent: Duration,
    pub control_lease: Duration,
    /// A caller who is held hears so often that it goes on.
    pub hold_words_every: Duration,
    /// A soft sound so often tells them between those words that the line is not dead.
    pub hold_sound_every: Duration,
    /// Then the agent goes on, should nobody say how it ended.
    pub longest_hold: Duration,
    /// How long a caller who waits in line, or for an answer of the office's, is heard after each word to them.
    pub line_ear: Duration,
    /// Longest wait in a line; then the agent offers what is left.
    pub longest_line: Duration,
    /// Speculative starts of a reply in one turn.
    pub speculations_per_turn: u32,
    /// Tokens that replies begun on a guess may waste in one call; then nothing is begun early any more.
    pub wasted_tokens_per_call: u64,
    /// Language of the greeting.
    pub language: Language,
    pub phrases: Phrases,
    /// The same in Spanish.
    pub phrases_es: Phrases,
    pub prices: Arc<Prices>,
    /// Name of the carrier in the price table; `None` where its time costs nothing.
    pub carrier: Option<String>,
    /// Cost at which the call is ended politely, millionths of a dollar.
    pub call_budget_micros: Option<u64>,
    /// Notes are taken of what the caller and the person at this target say: nothing is said, and no turn is taken.
    pub notes_with: Option<String>,
    /// Somebody can call this caller back: the number is known. Promised when we have to give up.
    pub can_call_back: bool,
}

/// What the session itself says when its parts fail or take long. Rendered at start, served from cache.
#[derive(Clone, Debug)]
pub struct Phrases {
    pub filler: String,
    pub reply_failed: String,
    pub out_of_order: String,
    /// The same, with a call-back that is on the record before it is promised.
    pub call_back_promised: String,
    pub no_input_goodbye: String,
    /// The call may cost no more.
    pub budget_spent: String,
    /// A person of the office has the call from now on.
    pub person_speaks: String,
    /// The agent has it again.
    pub agent_is_back: String,
    /// The caller waits, and the person who is called has not answered yet.
    pub still_calling: String,
    /// The caller waits, and nobody of the office has answered yet.
    pub still_asking: String,
    /// The caller waits in line, and stands where they stood.
    pub still_in_line: String,
}

impl Default for Phrases {
    fn default() -> Self {
        Self {
            filler: "One moment, please.".into(),
            reply_failed: "I'm sorry, something went wrong on my side. Could you say that again, please?"
                .into(),
            out_of_order: "I'm sorry, I can't go on with this call because of a fault on our side. \
                           Please call again in a few minutes. In an emergency, dial 911."
                .into(),
            call_back_promised: "I'm sorry, I can't go on with this call because of a fault on our side. \
                                 A person from our office will call you back at the number you are calling \
                                 from. In an emergency, dial 911. Goodbye."
                .into(),
            no_input_goodbye:
                "I can't hear anything, so I'll end this call. In an emergency, dial 911. Please call again any time. Goodbye.".into(),
            budget_spent: "I'm sorry, I have to end this call here. Please call again if you need anything \
                           else. In an emergency, dial 911. Goodbye."
                .into(),
            person_speaks: "You are now speaking with a member of our staff.".into(),
            agent_is_back: "I'm back, the automated assistant. What else can I help you with?".into(),
            still_calling: "I'm still calling them. Thank you for waiting.".into(),
            still_asking: "I'm still waiting for their answer. To be called back instead, press one, or say call me back."
                .into(),
            still_in_line: "Thank you for waiting. You are still in line. To be called back instead, press one.".into(),
        }
    }
}

impl Phrases {
    /// The same in Spanish.
    #[must_use]
    pub fn spanish() -> Self {
        Self {
            filler: "Un momento, por favor.".into(),
            reply_failed: "Lo siento, algo falló de mi parte. ¿Podría repetirlo, por favor?".into(),
            out_of_order: "Lo siento, no puedo continuar esta llamada por un fallo de nuestro lado. \
                           Por favor, llame de nuevo en unos minutos. En una emergencia, marque el 911."
                .into(),
            call_back_promised: "Lo siento, no puedo continuar esta llamada por un fallo de nuestro lado. \
                                 Una persona de nuestra oficina le llamará al número del que está llamando. \
                                 En una emergencia, marque el 911. Adiós."
                .into(),
            no_input_goodbye:
                "No escucho nada, así que voy a terminar la llamada. En una emergencia, marque el 911. \
                               Puede llamar de nuevo cuando quiera. Adiós."
                    .into(),
            budget_spent:
                "Lo siento, tengo que terminar la llamada aquí. Llame de nuevo si necesita algo más. \
                           En una emergencia, marque el 911. Adiós."
                    .into(),
            person_speaks: "Ahora habla con un miembro de nuestro personal.".into(),
            agent_is_back: "Soy de nuevo el asistente automático. ¿En qué más le puedo ayudar?".into(),
            still_calling: "Sigo llamando. Gracias por esperar.".into(),
            still_asking:
                "Sigo esperando la respuesta. Si prefiere que le llamemos, oprima uno o diga llámenme.".into(),
            still_in_line: "Gracias por esperar. Sigue en la fila. Si prefiere que le llamemos, oprima uno."
                .into(),
        }
    }

    /// All of them, to be rendered before the first call.
    #[must_use]
    pub fn all(&self) -> Vec<String> {
        vec![
            self.filler.clone(),
            self.reply_failed.clone(),
            self.out_of_order.clone(),
            self.call_back_promised.clone(),
            self.no_input_goodbye.clone(),
            self.budget_spent.clone(),
            self.person_speaks.clone(),
            self.agent_is_back.clone(),
            self.still_calling.clone(),
            self.still_asking.clone(),
            self.still_in_line.clone(),
        ]
    }
}

impl SessionConfig {
    /// For a recogniser over the network: its text comes with a delay, nothing listens to intonation unless it
    /// does, and a reply begun too early costs tokens.
    #[must_use]
    pub fn cloud() -> Self {
        Self {
            pause_after: ms(140),
            complete_silence: ms(250),
            speculate_from: 0.35,
            interim_guess: Some(ms(80)),
            barge_in_speech: ms(250),
            barge_in_speech_early: ms(400),
            // Its recogniser writes words within half a second; what has none for seconds is hold music.
            barge_in_unheard: ms(4_000),
            recogniser_deadline: ms(4_000),
            ..Self::default()
        }
    }
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

impl Default for SessionConfig {
    fn default() -> Self {
        Self {
            first_turn: TurnId(0),
            play_out: PlayOutConfig::default(),
            speech_on: 0.5,
            speech_off: 0.35,
            duck_on: 0.15,
            onset_windows: 2,
            pause_after: ms(160),
            complete_silence: ms(300),
            incomplete_silence: ms(600),
            better_text: ms(150),
            later_silence: ms(1_000),
            patient_silence: ms(1_200),
            first_silence: ms(780),
            opening_silence: ms(1_200),
            first_wait: ms(1_080),
            later_wait: ms(700),
            wait_for_odds: ms(130),
            recogniser_deadline: ms(3_000),
            speculate_from: 0.0,
            interim_guess: None,
            barge_in_speech: ms(350),
            barge_in_speech_early: ms(500),
            early_reply: ms(800),
            barge_in_unheard: ms(900),
            duck_limit: ms(2_000),
            rejoin_within: ms(1_500),
            rejoin_heard: ms(1_000),
            take_back_speech: ms(250),
            rejoin_unheard: ms(800),
            answer_ahead: ms(1_200),
            filler_after: ms(700),
            soft_sound_every: ms(2_000),
            reply_deadline: ms(8_000),
            no_input: ms(8_000),
            no_input_last: ms(10_000),
            no_input_waiting: ms(45_000),
            no_input_limit: 4,
            unintelligible_speech: ms(700),
            // Of words heard with less, more than half are wrong on voices that the recogniser does not know (`make ears`).
            unsure_below: 0.6,
            longest_call: ms(60 * 60 * 1_000),
            closing: ms(2_500),
            last_record: ms(3_000),
            person_silent: ms(1_500),
            control_lease: ms(5_000),
            hold_words_every: ms(20_000),
            hold_sound_every: ms(5_000),
            longest_hold: ms(150_000),
            line_ear: ms(5_000),
            longest_line: ms(45 * 60 * 1_000),
            speculations_per_turn: 3,
            wasted_tokens_per_call: 20_000,
            language: Language::En,
            phrases: Phrases::default(),
            phrases_es: Phrases::spanish(),
            prices: Arc::default(),
            carrier: None,
            call_budget_micros: None,
            notes_with: None,
            can_call_back: false,
        }
    }
}
