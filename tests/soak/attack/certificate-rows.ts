import { derIdentifier, derSequence, derTags, derValue } from "@pilothouse/api/x509"
import type { Attempt, Row } from "./row.ts"

const path = "/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests"
const flags = ["--ephemeral", "--runtime-config", "certificates.k8s.io/v1beta1=true"]
const of = (kind: string) => ({ [`${kind}Name`]: kind.toLowerCase(), [`${kind}UID`]: "uid" })

/** The key (SubjectPublicKeyInfo) of a modulus and an exponent of so many bits, all of them set. */
function rsaKey(modulus: number, exponent: number): string {
  const number = (bits: number) => derValue(derTags.integer, Uint8Array.of(0), new Uint8Array(bits / 8).fill(255))
  const algorithm = derSequence(derIdentifier("1.2.840.113549.1.1.1"), derValue(5))
  const key = derValue(derTags.bits, Uint8Array.of(0), derSequence(number(modulus), number(exponent)))
  return Buffer.from(derSequence(algorithm, key)).toString("base64")
}

/** Keys that are none, or that take long to read or to verify by: of them OpenSSL leaves errors behind, which other connections may meet. */
const keys: readonly (readonly [name: string, key: string])[] = [
  ["RSA of 3,072 bits with an exponent of as many", rsaKey(3072, 3072)],
  ["RSA of 16,384 bits with an exponent of as many", rsaKey(16_384, 16_384)],
  ["RSA of 16,392 bits", rsaKey(16_392, 24)],
  ["RSA of 32,768 bits with an exponent of as many", rsaKey(32_768, 32_768)],
  ["zeros", Buffer.alloc(10_000).toString("base64")],
  ["sequences in sequences", Buffer.alloc(10_000, 0x30).toString("base64")],
]

/** What one client sends of keys must not end the connections of others. */
async function hostileKeys(attempt: Attempt): Promise<void> {
  const { admin, anonymous, expect, expectTurns } = attempt
  const spec = { signerName: "example.com/signer", ...of("pod"), ...of("serviceAccount"), ...of("node"), maxExpirationSeconds: 86_400 }
  for (const [name, pkixPublicKey] of keys) {
    const proofOfPossession = Buffer.alloc(384, 1).toString("base64")
    const sent = Array.from({ length: 20 }, () =>
      admin.create(path, { metadata: { generateName: "r-" }, spec: { ...spec, pkixPublicKey, proofOfPossession } }),
    )
    // Another client sends meanwhile, so that the server reads of it behind each request.
    const others = Array.from({ length: 20 }, () => anonymous.send({ path: "/version" }))
    for (const { status, text } of await Promise.all(sent))
      expect(status === 422, `a refusal of ${name}`, `${status} ${text.slice(0, 200)}`)
    for (const { status, text } of await Promise.all(others)) expect(status === 200, `an answer to another client beside ${name}`, text)
    await expectTurns(name)
  }
}

export const certificateRows: readonly Row[] = [
  { number: 92, name: "keys that OpenSSL has no words for", server: "up", flags, memory: 20, attempt: hostileKeys },
]
