import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import {
  type CertificateAuthority,
  derIdentifier,
  derSequence,
  derSubject,
  derTags,
  derValue,
  noNames,
  pemText,
} from "@pilothouse/api/x509"
import type { Group } from "../tally.ts"
import { compare, type Side, send } from "./side.ts"

export const certificatesVersion = "certificates.k8s.io/v1beta1"
const bundles = `/apis/${certificatesVersion}/clustertrustbundles`
const requests = `/apis/${certificatesVersion}/namespaces/default/podcertificaterequests`
const core = "/api/v1/namespaces/default"
const asTable = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }
const spki = (key: KeyObject): Uint8Array => createPublicKey(key).export({ type: "spki", format: "der" })
const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
const weakKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey

/** Compares trust bundles, pods' certificate requests with their rules, and the sources of volumes that need them. */
export async function comparePodCertificates(group: Group, sides: readonly Side[], authority: CertificateAuthority): Promise<void> {
  await compareDocuments(group, sides)
  await compareBundles(group, sides, authority)
  await comparePods(group, sides)
  await compareRequests(group, sides, authority)
  await compareNodes(group, sides)
}

async function compareDocuments(group: Group, sides: readonly Side[]): Promise<void> {
  const role = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
  const roles = ["node", "cluster-trust-bundle-discovery", "controller:podcertificaterequestcleaner"]
  const publisher = "controller:kube-apiserver-serving-clustertrustbundle-publisher"
  for (const name of [...roles, publisher]) {
    await compare(group, sides, `the rules of system:${name}`, async (side) => {
      const { rules } = (await send(side, "GET", `${role}/system:${name}`)).value as { readonly rules: readonly object[] }
      // Their order is of no account.
      return rules.map((rule) => JSON.stringify(rule)).sort()
    })
  }
  for (const name of [...roles.slice(1), publisher])
    await compareGet(group, sides, `${role.replace("roles", "rolebindings")}/system:${name}`)
  await compare(group, sides, "the resources of the version", async (side) => {
    const { resources } = (await send(side, "GET", `/apis/${certificatesVersion}`)).value as { readonly resources: readonly object[] }
    return resources.map((one) => ({ ...one, storageVersionHash: "" }))
  })
}

function compareGet(group: Group, sides: readonly Side[], path: string): Promise<void> {
  return compare(group, sides, path, async (side) => (await send(side, "GET", path)).value)
}

function anchor({ sign }: CertificateAuthority, commonName: string, isAuthority = true): string {
  const [notBefore, notAfter] = [Date.UTC(2026, 0, 1), Date.UTC(2030, 0, 1)]
  const about = { subject: { commonName, organizations: [] }, names: noNames, usages: [], serialNumber: Uint8Array.of(1) }
  return sign({ ...about, publicKey: spki(key), notBefore, notAfter, isAuthority })
}

const retyped = (pem: string, type: string) => pem.replaceAll("CERTIFICATE", type)

async function compareBundles(group: Group, sides: readonly Side[], authority: CertificateAuthority): Promise<void> {
  const [one, other] = [anchor(authority, "one"), anchor(authority, "other")]
  const long = "a".repeat(64)
  const rows: readonly (readonly [name: string, trustBundle: string, signerName?: string])[] = [
    ["anchors", one],
    ["two", `text\n${one}text\n${other}`],
    ["example.com:signer:anchors", one, "example.com/signer"],
    ["example.com:anchors", one],
    ["!", one],
    ["anchors", one, "example.com/signer"],
    ["example.com:signer:!", one, "example.com/signer"],
    ...["example.com", "local/signer", "Example.com/signer", "example.com/a/b", "example.com/A", "example.com/", `${long}.com/a`].map(
      (signer) => [`${signer.replaceAll("/", ":")}:a`, one, signer] as const,
    ),
    ["empty", ""],
    ["garbage", "garbage"],
    ["twice", `${one}${other}${one}`],
    ["key", retyped(one, "PRIVATE KEY")],
    ["headers", one.replace("-----\n", "-----\nkey: value\n\n")],
    ["leaf", anchor(authority, "leaf", false)],
    ["broken", pemText("CERTIFICATE", derSequence(derValue(derTags.integer, Uint8Array.of(1))))],
  ]
  for (const [name, trustBundle, signerName] of rows) {
    const spec = { trustBundle, ...(signerName !== undefined && { signerName }) }
    const sent = { metadata: { name }, spec }
    await compare(group, sides, `the bundle ${name} of ${signerName}`, async (side) => (await send(side, "POST", bundles, sent)).value)
  }
  const at = `${bundles}/example.com:signer:anchors`
  const patches = [{ signerName: "example.com/other" }, { trustBundle: "garbage" }, { trustBundle: other }]
  for (const spec of patches) await comparePatch(group, sides, at, { spec })
  for (const headers of [asTable, {}]) {
    const query = { fieldSelector: "spec.signerName=example.com/signer" }
    const list = async ({ client }: Side) => (await client.send({ verb: "GET", path: bundles, query, headers })).value
    await compare(group, sides, "bundles of a signer", async (side) => withoutAge(await list(side)))
  }
  await compareAttest(group, sides, at)
}

/** Rows of a table hold metadata, and lists a version. */
function withoutAge(value: unknown): unknown {
  const { metadata: _metadata, ...rest } = value as { readonly metadata: object }
  return rest
}

const mergePatch = "application/merge-patch+json"

function comparePatch(group: Group, sides: readonly Side[], path: string, body: object, user?: string): Promise<void> {
  const headers = user === undefined ? {} : impersonated(user)
  return compare(
    group,
    sides,
    `${user ?? "an administrator"} patches ${path} with ${JSON.stringify(body).slice(0, 80)}`,
    async ({ client }) => {
      const { status, value } = await client.send({ verb: "PATCH", path, contentType: mergePatch, body, headers })
      return { status, value }
    },
  )
}

function impersonated(user: string): Readonly<Record<string, string>> {
  const isNode = user.startsWith("system:node:")
  return { "impersonate-user": user, ...(isNode && { "impersonate-group": "system:nodes" }) }
}

/** What may be written, and with which right of a signer. */
async function compareAttest(group: Group, sides: readonly Side[], at: string): Promise<void> {
  await grant(sides, "jane", [{ verbs: ["patch", "update"], apiGroups: ["certificates.k8s.io"], resources: ["clustertrustbundles"] }])
  await comparePatch(group, sides, at, { metadata: { labels: { a: "b" } } }, "jane")
  await comparePatch(group, sides, at, { metadata: { finalizers: ["example.com/f"] } }, "jane")
  await comparePatch(group, sides, at, { metadata: { finalizers: null } }, "jane")
  await grant(sides, "jane-attest", [
    { verbs: ["attest"], apiGroups: ["certificates.k8s.io"], resources: ["signers"], resourceNames: ["example.com/*"] },
  ])
  await bind(sides, "jane", "jane-attest")
  await delay(1000)
  await comparePatch(group, sides, at, { metadata: { labels: { a: "c" } } }, "jane")
}

const rbac = "/apis/rbac.authorization.k8s.io/v1"

async function grant(sides: readonly Side[], name: string, rules: readonly object[]): Promise<void> {
  for (const side of sides) await send(side, "POST", `${rbac}/clusterroles`, { metadata: { name }, rules })
  await bind(sides, name, name)
  await delay(1000)
}

async function bind(sides: readonly Side[], user: string, role: string): Promise<void> {
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }]
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role }
  for (const side of sides) await send(side, "POST", `${rbac}/clusterrolebindings`, { metadata: { name: role }, roleRef, subjects })
}

async function comparePods(group: Group, sides: readonly Side[]): Promise<void> {
  const bundle = (more: object) => ({ clusterTrustBundle: { path: "anchors.pem", ...more } })
  const own = { signerName: "example.com/signer", keyType: "ED25519", credentialBundlePath: "bundle.pem" }
  const certificate = (more: object) => ({ podCertificate: { ...own, ...more } })
  const signer = { signerName: "example.com/signer" }
  const rows: readonly (readonly object[])[] = [
    [bundle({ name: "anchors" }), certificate({ keyPath: "key.pem" })],
    [bundle({ ...signer, labelSelector: { matchLabels: { a: "b" } }, optional: true })],
    [bundle({})],
    [bundle({ name: "a", ...signer })],
    [bundle({ name: "" })],
    [bundle({ name: "example.com:signer:!" })],
    [bundle({ name: "a", labelSelector: { matchLabels: { a: "b" } } })],
    [bundle({ signerName: "" })],
    [bundle({ signerName: "example.com" })],
    [bundle({ ...signer, labelSelector: { matchLabels: { a: "!" } } })],
    ...["", "/etc", "a/../b", "..data"].map((path) => [bundle({ ...signer, path })]),
    [bundle(signer), certificate({ keyPath: "anchors.pem" })],
    [{ ...bundle(signer), ...certificate({}) }],
    [certificate({ keyType: "RSA2048" })],
    ...[1800, 172_800, 7_862_401].map((seconds) => [certificate({ maxExpirationSeconds: seconds })]),
    [certificate({ signerName: "kubernetes.io/signer", maxExpirationSeconds: 172_800 })],
    [certificate({ credentialBundlePath: "" })],
    ...["a", "", "A b/c", "example.com/K"].map((name) => [certificate({ userAnnotations: { [name]: "b" } })]),
    [{ secret: {} }],
    [{ configMap: { name: "m", items: [{ key: "k" }] } }, { secret: { name: "s", items: [{ path: "../p" }] } }],
    [{ configMap: { name: "m", items: [{ key: "k", path: "p" }] } }, { secret: { name: "s", items: [{ key: "k", path: "p" }] } }],
    ...[60, 3600].map((expirationSeconds) => [{ serviceAccountToken: { path: "t", expirationSeconds } }]),
    [{ serviceAccountToken: { path: "../t" } }, { serviceAccountToken: { path: "" } }],
  ]
  for (const sources of rows) {
    const volumes = [{ name: "v", projected: { sources } }]
    const spec = { serviceAccountName: "default", containers: [{ name: "c", image: "i" }], volumes }
    const sent = { metadata: { name: "p" }, spec }
    await compare(group, sides, `a pod with ${JSON.stringify(sources).slice(0, 120)}`, async ({ client }) => {
      const { status, value } = await client.send({ verb: "POST", path: `${core}/pods`, query: { dryRun: "All" }, body: sent })
      return status < 300 ? (value as { readonly spec: { readonly volumes: object } }).spec.volumes : value
    })
  }
}

function stub(from: KeyObject, signer = from, algorithm = "1.2.840.10045.4.3.2"): string {
  const info = derSequence(
    derValue(derTags.integer, Uint8Array.of(0)),
    derSubject({ commonName: "", organizations: [] }),
    spki(from),
    derValue(0xa0),
  )
  const signature = derValue(derTags.bits, Uint8Array.of(0), sign("sha256", info, signer))
  return Buffer.from(derSequence(info, derSequence(derIdentifier(algorithm)), signature)).toString("base64")
}

const asked = {
  signerName: "example.com/signer",
  podName: "web",
  podUID: "pod",
  serviceAccountName: "web",
  serviceAccountUID: "account",
  nodeName: "n1",
  nodeUID: "node",
  stubPKCS10Request: stub(key),
}

async function compareRequests(group: Group, sides: readonly Side[], authority: CertificateAuthority): Promise<void> {
  const otherKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
  const rows: readonly object[] = [
    {},
    { signerName: "", podName: "Web", nodeUID: "", serviceAccountName: "", podUID: "x".repeat(129) },
    { maxExpirationSeconds: 1800 },
    { signerName: "kubernetes.io/signer", maxExpirationSeconds: 172_800 },
    { unverifiedUserAnnotations: { key: "x" } },
    { stubPKCS10Request: undefined },
    { pkixPublicKey: Buffer.from(spki(key)).toString("base64") },
    { stubPKCS10Request: "aGVsbG8=" },
    { stubPKCS10Request: stub(key, otherKey) },
    { stubPKCS10Request: stub(weakKey, weakKey, "1.2.840.113549.1.1.11") },
    { stubPKCS10Request: Buffer.alloc(10_241).toString("base64") },
    { ...possession(sign("sha256", Buffer.from("pod"), key)) },
    { ...possession(Buffer.from("none")) },
    { ...possession(Buffer.from("none")), pkixPublicKey: "aGVsbG8=" },
  ]
  for (const [index, more] of rows.entries()) {
    const sent = { metadata: { name: `r${index}` }, spec: { ...asked, ...more } }
    await compare(
      group,
      sides,
      `a request with ${JSON.stringify(more).slice(0, 80)}`,
      async (side) => (await send(side, "POST", requests, sent)).value,
    )
  }
  await comparePatch(group, sides, `${requests}/r0`, { spec: { podUID: "other" } })
  await comparePatch(group, sides, `${requests}/r0`, { metadata: { labels: { a: "b" } } })
  await compareStatuses(group, sides, authority)
  for (const path of [requests, `/apis/${certificatesVersion}/podcertificaterequests`]) {
    const list = async ({ client }: Side) => (await client.send({ verb: "GET", path, headers: asTable })).value
    await compare(group, sides, `the table of ${path}`, async (side) => withoutAge(await list(side)))
  }
}

const possession = (proof: Uint8Array) => ({
  stubPKCS10Request: undefined,
  pkixPublicKey: Buffer.from(spki(key)).toString("base64"),
  proofOfPossession: Buffer.from(proof).toString("base64"),
})

const minute = 60_000

async function compareStatuses(group: Group, sides: readonly Side[], authority: CertificateAuthority): Promise<void> {
  const now = Math.floor(Date.now() / 1000) * 1000
  const time = (moment: number) => new Date(moment).toISOString().replace(".000Z", "Z")
  const condition = (type: string, more: object = {}) => ({
    type,
    status: "True",
    reason: "Test",
    message: "",
    lastTransitionTime: time(now),
    ...more,
  })
  const leaf = (notBefore: number, notAfter: number, more: object = {}) =>
    authority.sign({
      subject: { commonName: "", organizations: [] },
      names: noNames,
      publicKey: spki(key),
      usages: ["client auth"],
      serialNumber: Uint8Array.of(7),
      notBefore,
      notAfter,
      ...more,
    })
  const issued = (begin: number, minutes: number, more: object = {}, certificate: object = {}) => ({
    conditions: [condition("Issued")],
    certificateChain: leaf(begin, begin + minutes * minute, certificate),
    notBefore: time(begin),
    notAfter: time(begin + minutes * minute),
    beginRefreshAt: time(begin + 30 * minute),
    ...more,
  })
  const dns = (name: string) => ({ names: { ...noNames, dns: [name] } })
  const rows: readonly object[] = [
    { certificateChain: "x" },
    issued(now, 120, { conditions: [condition("Denied")] }),
    { conditions: [condition("Denied"), condition("Failed")] },
    { conditions: [condition("Denied", { status: "False" })] },
    { conditions: [condition("Ready", { reason: "" })] },
    { conditions: [condition("Denied", { reason: "a b" })] },
    issued(now, 120, { certificateChain: "" }),
    issued(now, 120, { certificateChain: retyped(leaf(now, now), "KEY") }),
    issued(now, 120, {}, { publicKey: spki(weakKey) }),
    issued(now, 120, {}, dns("a..example")),
    issued(now, 120, {}, dns("example.")),
    issued(now, 120, {}, { names: { ...noNames, email: ["email@@address"] } }),
    issued(now, 120, { notAfter: null, beginRefreshAt: null }),
    issued(now, 120, { notBefore: time(now + 1000) }),
    issued(now - 30 * minute, 120),
    issued(now, 120, { notAfter: time(now) }),
    issued(now, 59),
    issued(now, 1500),
    issued(now, 52_560_000),
    issued(now, 120, { beginRefreshAt: time(now + 9 * minute) }),
    issued(now, 120, { beginRefreshAt: time(now + 111 * minute) }),
    issued(now, 120),
    issued(now, 120),
    { conditions: [condition("Issued", { reason: "Other" })] },
  ]
  await grant(sides, "joe", [{ verbs: ["patch"], apiGroups: ["certificates.k8s.io"], resources: ["podcertificaterequests/status"] }])
  await comparePatch(group, sides, `${requests}/r0/status`, { status: { conditions: [condition("Denied")] } }, "joe")
  for (const status of rows) await comparePatch(group, sides, `${requests}/r0/status`, { status })
}

interface Created {
  readonly metadata: { readonly uid: string }
}

/** What a node may ask and read. UIDs are each server's own. */
async function compareNodes(group: Group, sides: readonly Side[]): Promise<void> {
  const create = async (side: Side, path: string, body: object) => ((await send(side, "POST", path, body)).value as Created).metadata.uid
  const worlds = await Promise.all(
    sides.map(async (side) => {
      const nodes = {
        n1: await create(side, "/api/v1/nodes", { metadata: { name: "n1" } }),
        n2: await create(side, "/api/v1/nodes", { metadata: { name: "n2" } }),
      }
      const account = await create(side, `${core}/serviceaccounts`, { metadata: { name: "web" } })
      const pod = (name: string, nodeName: string, annotations: object = {}) =>
        create(side, `${core}/pods`, {
          metadata: { name, annotations },
          spec: { nodeName, serviceAccountName: "web", containers: [{ name: "c", image: "i" }] },
        })
      const mirror = { "kubernetes.io/config.mirror": "x" }
      return { nodes, account, a: await pod("a", "n1"), b: await pod("b", "n2"), mirror: await pod("mirror", "n1", mirror) }
    }),
  )
  // Its admission reads informers.
  await delay(2000)
  type World = (typeof worlds)[number]
  const rows: readonly (readonly [name: string, more: (world: World) => object])[] = [
    ["own", () => ({})],
    ["another node", ({ nodes }) => ({ nodeName: "n2", nodeUID: nodes.n2 })],
    ["an earlier node", () => ({ nodeUID: "old" })],
    ["no pod", () => ({ podName: "gone" })],
    ["an earlier pod", () => ({ podUID: "old" })],
    ["a pod of another node", ({ b }) => ({ podName: "b", podUID: b })],
    ["a mirror pod", ({ mirror }) => ({ podName: "mirror", podUID: mirror })],
    ["another account", () => ({ serviceAccountName: "other" })],
    ["an earlier account", () => ({ serviceAccountUID: "old" })],
  ]
  for (const [name, more] of rows) {
    await compare(group, sides, `a node requests for ${name}`, async (side) => {
      const world = worlds[sides.indexOf(side)]!
      const own = { podName: "a", podUID: world.a, serviceAccountUID: world.account, nodeUID: world.nodes.n1 }
      const body = { metadata: { name: name.replaceAll(" ", "-") }, spec: { ...asked, ...own, ...more(world) } }
      return (await side.client.send({ verb: "POST", path: requests, body, headers: impersonated("system:node:n1") })).value
    })
  }
  await delay(1000)
  const reads: readonly (readonly [user: string, path: string, selector?: string])[] = [
    ["n1", `${requests}/own`],
    ["n2", `${requests}/own`],
    ["n1", requests],
    ["n1", requests, "spec.nodeName=n2"],
    ["n1", `${requests}/own/status`],
    ["n1", `/apis/${certificatesVersion}/clustertrustbundles/anchors`],
  ]
  for (const [node, path, fieldSelector] of reads) {
    await compare(group, sides, `${node} reads ${path} ${fieldSelector ?? ""}`, async ({ client }) => {
      const query = { ...(fieldSelector !== undefined && { fieldSelector }) }
      const { value } = await client.send({ verb: "GET", path, query, headers: impersonated(`system:node:${node}`) })
      return value
    })
  }
}
