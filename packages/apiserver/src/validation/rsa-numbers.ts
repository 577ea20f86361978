import type { KeyObject } from "node:crypto"
import { derValues } from "@pilothouse/api/x509"

interface RsaNumbers {
  readonly modulus: Uint8Array
  readonly exponent: Uint8Array
}

/**
 * Returns the two numbers of an RSA key, without zeros before them. Node's `asymmetricKeyDetails` has them too, but leaves an error of OpenSSL behind where
 * the modulus has more than 16,384 bits (24.21), and the next TLS connection that is read, whosever it is, ends with it.
 */
export function rsaNumbers(key: KeyObject): RsaNumbers {
  const [sequence] = derValues(key.export({ type: "pkcs1", format: "der" }))
  const [modulus, exponent] = derValues(sequence!.content).map(({ content }) => withoutZeros(content))
  return { modulus: modulus!, exponent: exponent! }
}

function withoutZeros(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0)
  return bytes.subarray(first < 0 ? bytes.length : first)
}

/** Reports whether an RSA key has an exponent below 2^31: Go verifies nothing by a larger one, which takes a time that grows with it. */
export function hasUsableExponent(key: KeyObject): boolean {
  const { exponent } = rsaNumbers(key)
  return exponent.length < 4 || (exponent.length === 4 && exponent[0]! < 0x80)
}
