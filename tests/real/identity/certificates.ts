import { generateKeyPairSync, sign, X509Certificate } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { derIdentifier, derSequence, derSubject, derTags, derValue, pemText } from "@pilothouse/api/x509"
import type { Group } from "../tally.ts"
import { compare, type Side, send, until } from "./side.ts"

const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })

interface Asked {
  readonly commonName?: string
  readonly organizations?: readonly string[]
  readonly dns?: readonly string[]
  readonly usages: readonly string[]
  readonly signerName: string
  readonly expirationSeconds?: number
}

const kubelet = { commonName: "system:node:a", organizations: ["system:nodes"] }
const [client, kubeletClient, serving] = ["kube-apiserver-client", "kube-apiserver-client-kubelet", "kubelet-serving"].map(
  (name) => `kubernetes.io/${name}`,
)
const clientUsages = ["digital signature", "key encipherment", "client auth"]
const servingUsages = ["digital signature", "key encipherment", "server auth"]

const rows: readonly (readonly [name: string, asked: Asked, isApproved?: boolean])[] = [
  ["a client", { commonName: "jane", organizations: ["ops", "dev"], usages: clientUsages, signerName: client! }],
  ["a client for an hour", { commonName: "jane", usages: ["client auth"], signerName: client!, expirationSeconds: 3600 }],
  ["a client for two years", { commonName: "jane", usages: ["client auth"], signerName: client!, expirationSeconds: 63_072_000 }],
  ["a client with names", { commonName: "jane_x", dns: ["a.example"], usages: ["client auth"], signerName: client! }],
  ["a client without a name", { usages: ["client auth"], signerName: client! }],
  ["a client that serves", { commonName: "jane", usages: ["client auth", "server auth"], signerName: client! }],
  ["a client that is none", { commonName: "jane", usages: ["digital signature"], signerName: client! }],
  ["a kubelet", { ...kubelet, usages: clientUsages, signerName: kubeletClient! }, true],
  ["a kubelet of another organization", { ...kubelet, organizations: ["x"], usages: clientUsages, signerName: kubeletClient! }],
  ["a kubelet of another name", { ...kubelet, commonName: "a", usages: clientUsages, signerName: kubeletClient! }],
  ["a kubelet with a DNS name", { ...kubelet, dns: ["a"], usages: clientUsages, signerName: kubeletClient! }],
  ["a kubelet with other usages", { ...kubelet, usages: ["client auth"], signerName: kubeletClient! }],
  ["a kubelet that serves", { ...kubelet, dns: ["a"], usages: servingUsages, signerName: serving! }],
  ["a kubelet that serves no name", { ...kubelet, usages: servingUsages, signerName: serving! }],
  ["another signer", { commonName: "jane", usages: ["client auth"], signerName: "example.com/x" }],
]

const refused: readonly (readonly [name: string, asked: Asked])[] = [
  ["system:masters", { commonName: "jane", organizations: ["system:masters"], usages: clientUsages, signerName: client! }],
  ["the legacy signer", { commonName: "jane", usages: clientUsages, signerName: "kubernetes.io/legacy-unknown" }],
  ["five minutes", { commonName: "jane", usages: clientUsages, signerName: client!, expirationSeconds: 300 }],
  ["unknown usages", { commonName: "jane", usages: ["x"], signerName: client! }],
]

interface Request {
  readonly status?: { readonly certificate?: string; readonly conditions?: readonly { readonly type: string }[] }
}

/** Creates requests, approves them as an administrator where no controller does, and compares what is signed and why it is not. */
export async function compareRequests(group: Group, sides: readonly Side[]): Promise<void> {
  for (const [index, [name, asked, isAutomatic = false]] of rows.entries()) {
    const sent = body(`r${index}`, asked)
    await compare(group, sides, name, (side) => requested(side, sent, asked.signerName, isAutomatic))
  }
  for (const [name, asked] of refused) {
    const sent = body("refused", asked)
    await compare(group, sides, `refused: ${name}`, async (side) => (await send(side, "POST", requests, sent)).value)
  }
}

async function requested(side: Side, sent: Sent, signerName: string, isAutomatic: boolean): Promise<unknown> {
  const { name } = sent.metadata
  const made = (await send(side, "POST", requests, sent)).value as Request
  if (!isAutomatic) {
    const status = { conditions: [{ type: "Approved", status: "True", reason: "Asked", message: "by a test" }] }
    await send(side, "PUT", `${requests}/${name}/approval`, { ...made, status })
  }
  const isSigned = signerName.startsWith("kubernetes.io/")
  if (!isSigned) await delay(500)
  const ended = await until(
    async () => (await send(side, "GET", `${requests}/${name}`)).value as Request,
    ({ status }) => !isSigned || status?.certificate !== undefined || status?.conditions?.some(({ type }) => type === "Failed") === true,
  )
  const { certificate, ...status } = ended.status ?? {}
  return { ...ended, status, certificate: certificate && facts(certificate) }
}

function facts(certificate: string): object {
  const { subject, subjectAltName, keyUsage, ca, validFrom, validTo, issuer } = new X509Certificate(Buffer.from(certificate, "base64"))
  // The two are signed within seconds of each other.
  const minutes = Math.round((Date.parse(validTo) - Date.parse(validFrom)) / 60_000)
  return { subject, subjectAltName, keyUsage, ca, minutes, issuer }
}

interface Sent {
  readonly metadata: { readonly name: string }
  readonly spec: object
}

/** Made once for both sides: every signature is another. */
function body(name: string, { commonName = "", organizations = [], dns = [], ...spec }: Asked): Sent {
  const general = dns.map((one) => derValue(0x82, Buffer.from(one)))
  const extension = derSequence(derIdentifier("2.5.29.17"), derValue(derTags.bytes, derSequence(...general)))
  const extensions = derSequence(derIdentifier("1.2.840.113549.1.9.14"), derValue(derTags.set, derSequence(extension)))
  const info = derSequence(
    derValue(derTags.integer, Uint8Array.of(0)),
    derSubject({ commonName, organizations }),
    publicKey.export({ type: "spki", format: "der" }),
    derValue(0xa0, ...(dns.length > 0 ? [extensions] : [])),
  )
  const signature = derValue(derTags.bits, Uint8Array.of(0), sign("sha256", info, privateKey))
  const pem = pemText("CERTIFICATE REQUEST", derSequence(info, derSequence(derIdentifier("1.2.840.10045.4.3.2")), signature))
  return { metadata: { name }, spec: { ...spec, request: Buffer.from(pem).toString("base64") } }
}
