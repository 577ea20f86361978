import { createHash, generateKeyPairSync, sign } from "node:crypto"
import { type IpAddress, parseIp } from "@pilothouse/api/net"

/** A certificate that signs itself, and its key. */
export interface SelfSigned {
  /** PEM. */
  readonly certificate: string
  /** PEM. */
  readonly key: string
  /** Milliseconds since 1970. */
  readonly expires: number
}

export interface SelfSignedOptions {
  /** DNS names and addresses that clients use. */
  readonly names: readonly string[]
  /** Milliseconds since 1970. */
  readonly now: number
  /** Milliseconds. */
  readonly lifetime: number
}

/** Before now, for clocks that go after ours. */
const leeway = 5 * 60_000

/** Creates a certificate for a server whose clients are given it as their authority, as a caBundle is. */
export function selfSigned({ names, now, lifetime }: SelfSignedOptions): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const spki = publicKey.export({ type: "spki", format: "der" })
  const expires = now + lifetime
  const subject = sequence(set(sequence(commonName, utf8(names[0] ?? "webhook"))))
  const toSign = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(positive(createHash("sha256").update(spki).digest().subarray(0, 16))),
    sequence(ecdsaWithSha256),
    subject,
    sequence(time(now - leeway), time(expires)),
    subject,
    spki,
    explicit(3, sequence(...extensionsFor(names, spki))),
  )
  const signature = sign("sha256", toSign, privateKey)
  const der = sequence(toSign, sequence(ecdsaWithSha256), tagged(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = der.toString("base64").match(/.{1,64}/g) ?? []
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    expires,
  }
}

function extensionsFor(names: readonly string[], spki: Buffer): readonly Buffer[] {
  const alternatives = names.map((name) => {
    const address = parseIp(name)
    return address === undefined ? tagged(0x82, Buffer.from(name)) : tagged(0x87, addressBytes(address))
  })
  return [
    sequence(subjectAltName, octets(sequence(...alternatives))),
    sequence(basicConstraints, yes, octets(sequence(yes))),
    sequence(keyUsage, yes, octets(tagged(0x03, Buffer.from([2, 0x84])))),
    sequence(extendedKeyUsage, octets(sequence(serverAuth))),
    sequence(subjectKeyIdentifier, octets(octets(createHash("sha1").update(spki).digest()))),
  ]
}

function addressBytes({ family, value }: IpAddress): Buffer {
  return Buffer.from(value.toString(16).padStart(family === 4 ? 8 : 32, "0"), "hex")
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts))
}

function set(...parts: readonly Buffer[]): Buffer {
  return tagged(0x31, Buffer.concat(parts))
}

function explicit(number: number, content: Buffer): Buffer {
  return tagged(0xa0 + number, content)
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes)
}

function octets(content: Buffer): Buffer {
  return tagged(0x04, content)
}

function utf8(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text))
}

/** The first bit is the sign; the first byte of a number is not 0. */
function positive(bytes: Buffer): Buffer {
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes
}

/** GeneralizedTime, which knows every year. */
function time(milliseconds: number): Buffer {
  const text = new Date(milliseconds).toISOString().replace(/[-:T]/g, "").slice(0, 14)
  return tagged(0x18, Buffer.from(`${text}Z`))
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"))
}

const yes = tagged(0x01, Buffer.from([0xff]))
const commonName = oid("550403")
const ecdsaWithSha256 = oid("2a8648ce3d040302")
const subjectAltName = oid("551d11")
const basicConstraints = oid("551d13")
const keyUsage = oid("551d0f")
const extendedKeyUsage = oid("551d25")
const subjectKeyIdentifier = oid("551d0e")
const serverAuth = oid("2b06010505070301")
