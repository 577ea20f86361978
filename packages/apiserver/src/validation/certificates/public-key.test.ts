import { constants, sign } from "node:crypto"
import { once } from "node:events"
import { connect, createServer, type TLSSocket } from "node:tls"
import { derIdentifier, derSequence, derTags, derValue } from "@pilothouse/api/x509"
import { describe, expect, test } from "vitest"
import { isSameKey, isSignedBy, parsePublicKey } from "./public-key.ts"
import { authorityKey, certificatePem, ecKey, ed25519Key, rsaKey, spki } from "./testing/issue.ts"

/** The key (SubjectPublicKeyInfo) of a modulus of that many bits, all of them set, and an exponent. */
function rsaOf(bits: number, exponent: Uint8Array): Uint8Array {
  const number = (bytes: Uint8Array) => derValue(derTags.integer, Uint8Array.of(0), bytes)
  const key = derSequence(number(new Uint8Array(bits / 8).fill(255)), number(exponent))
  const algorithm = derSequence(derIdentifier("1.2.840.113549.1.1.1"), derValue(5))
  return derSequence(algorithm, derValue(derTags.bits, Uint8Array.of(0), key))
}

const e65537 = Uint8Array.of(1, 0, 1)
const rsa = rsaKey(1024)
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }

test.each([
  ["a modulus of 1,024 bits", spki(rsa), { kind: "rsa", bits: 1024 }],
  ["a modulus of 16,392 bits", rsaOf(16_392, e65537), { kind: "rsa", bits: 16_392 }],
  ["an exponent of 64 bits", rsaOf(2048, new Uint8Array(8).fill(255)), { kind: "rsa", bits: 2048 }],
  ["an exponent of 72 bits, which Go does not read", rsaOf(2048, new Uint8Array(9).fill(255)), undefined],
])("a key with %s", (_what, der, found) => {
  const key = parsePublicKey(der)
  if (found === undefined) expect(key).toBeUndefined()
  else expect(key).toMatchObject(found)
})

test("a signature counts where Go verifies it: not by an exponent of 2^31 and more", () => {
  const text = Buffer.from("text")
  const signature = sign("sha256", text, { key: rsa.privateKey, ...pss })
  expect(isSignedBy(parsePublicKey(spki(rsa))!, text, signature)).toBe(true)
  expect(isSignedBy(parsePublicKey(rsaOf(2048, Uint8Array.of(0x80, 0, 0, 1)))!, text, new Uint8Array(256).fill(1))).toBe(false)
})

/** A TLS server that answers each piece, and a client that is connected to it. */
async function connected() {
  const tls = { cert: certificatePem(), key: authorityKey.privateKey.export({ type: "sec1", format: "pem" }) }
  let served: TLSSocket | undefined
  const server = createServer(tls, (socket) => {
    served = socket
    socket.on("error", () => socket.destroy()).on("data", () => socket.write("answer"))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address() as { readonly port: number }
  const client = connect({ host: "127.0.0.1", port: address.port, rejectUnauthorized: false })
  client.on("error", () => client.destroy())
  await once(client, "secureConnect")
  client.write("first")
  await once(client, "data")
  return {
    /** Reports whether the connection answers what is sent behind the work. */
    async survives(work: () => void): Promise<boolean> {
      client.write("second")
      // Before the server reads it.
      work()
      const answered = once(client, "data").then(() => served?.errored === null)
      return await Promise.race([answered, once(client, "close").then(() => false)])
    },
    [Symbol.dispose]() {
      client.destroy()
      served?.destroy()
      server.close()
    },
  }
}

describe("a connection of another client goes on", () => {
  const [ec, other, ed25519] = [ecKey("P-256"), ecKey("P-384"), ed25519Key()].map((key) => parsePublicKey(spki(key))!)
  const nonsense = new Uint8Array(256).fill(1)
  const works: readonly (readonly [string, () => unknown])[] = [
    ["of an RSA key of 16,392 bits", () => parsePublicKey(rsaOf(16_392, e65537))],
    ["of an RSA key of 32,768 bits with an exponent of as many", () => parsePublicKey(rsaOf(32_768, new Uint8Array(4096).fill(255)))],
    ["of bytes that are no key", () => parsePublicKey(nonsense)],
    ["of half a key", () => parsePublicKey(spki(rsa).subarray(0, 80))],
    ["of a signature that is none, RSA", () => isSignedBy(parsePublicKey(spki(rsa))!, nonsense, nonsense)],
    ["of a signature that is none, ECDSA", () => isSignedBy(ec!, nonsense, nonsense)],
    ["of a signature that is none, Ed25519", () => isSignedBy(ed25519!, nonsense, nonsense)],
    ["of keys of two kinds", () => isSameKey(ec, ed25519!)],
    ["of keys of two curves", () => isSameKey(ec, other!)],
  ]
  test.each(works)("whatever OpenSSL found wrong %s", async (_what, work) => {
    using connection = await connected()
    expect(await connection.survives(work)).toBe(true)
  })
})
