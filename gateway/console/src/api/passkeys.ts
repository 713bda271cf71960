// Passkeys: what the browser and the gateway say of them, each in its own way of writing bytes.

import type { MadePasskey, NewPasskeyOptions, PasskeyOptions, SignedByPasskey } from "./types";

/** Bytes as base64url. */
export const encoded = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Bytes from base64url. */
export const decoded = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

/** Whether a passkey of `host` can be used on this page. Browsers take the page's own name alone. */
export const takesPasskeys = (host: string | null): boolean => host !== null && host === location.hostname && "PublicKeyCredential" in window;

/** Has the person's device make a passkey. */
export async function makePasskey(asked: NewPasskeyOptions): Promise<MadePasskey> {
  const made = await navigator.credentials.create({
    publicKey: {
      challenge: decoded(asked.challenge),
      rp: { id: asked.rp_id, name: asked.rp_name },
      user: { id: decoded(asked.user_id), name: asked.user_name, displayName: asked.user_display_name },
      pubKeyCredParams: asked.algorithms.map((alg) => ({ type: "public-key", alg })),
      excludeCredentials: asked.exclude.map((id) => ({ type: "public-key", id: decoded(id) })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      attestation: "none",
      timeout: asked.timeout_ms,
    },
  });
  const { response } = made as PublicKeyCredential;
  const { clientDataJSON, attestationObject } = response as AuthenticatorAttestationResponse;
  return { client_data: encoded(clientDataJSON), attestation: encoded(attestationObject) };
}

/** Has the person's device sign with the passkey that they choose. */
export async function signWithPasskey(asked: PasskeyOptions): Promise<SignedByPasskey> {
  const used = await navigator.credentials.get({
    publicKey: { challenge: decoded(asked.challenge), rpId: asked.rp_id, userVerification: "required", timeout: asked.timeout_ms },
  });
  const { rawId, response } = used as PublicKeyCredential;
  const { clientDataJSON, authenticatorData, signature, userHandle } = response as AuthenticatorAssertionResponse;
  return {
    id: encoded(rawId),
    client_data: encoded(clientDataJSON),
    authenticator_data: encoded(authenticatorData),
    signature: encoded(signature),
    user_handle: userHandle ? encoded(userHandle) : null,
  };
}

/** Why it came to nothing, in words; browsers give one name to most reasons. */
export function explainPasskey(failure: unknown): string | null {
  if (!(failure instanceof DOMException)) return null;
  if (failure.name === "InvalidStateError") return "This device has a passkey of yours already.";
  if (failure.name === "NotAllowedError") return "No passkey was used. Try again, or take another way.";
  return "This browser or device cannot do that.";
}
