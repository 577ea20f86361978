import { type Attempt, type Row, refusals } from "./row.ts"
import { pause } from "./waiting.ts"

const core = "/api/v1/namespaces/default"
const configMaps = `${core}/configmaps`

/** `count` values, with commas where it is text. */
function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** Megabytes in one body, each of which used to hold the main thread for a second or more. */
async function bigBodies({ admin, expectStatus, expectTurns }: Attempt): Promise<void> {
  const yaml = many(200_000, (index) => `  k${index}: v\n`).join("")
  const body = `metadata: {name: big-yaml}\ndata:\n${yaml}`
  const asYaml = await admin.send({ method: "POST", path: configMaps, headers: { "content-type": "application/yaml" }, body })
  expectStatus("200,000 keys of YAML", asYaml, 201, ...refusals)
  await expectTurns("200,000 keys of YAML")
  const unknown = many(150_000, (index) => `"u${index}":1`).join(",")
  const twice = await admin.create(`${configMaps}?fieldValidation=Warn`, `{"metadata":{"name":"big-fields"},"z":1,"z":2,${unknown}}`)
  expectStatus("150,000 unknown fields, one of them twice", twice, 201, ...refusals)
  await expectTurns("150,000 unknown fields, one of them twice")
  const strict = await admin.create(`${configMaps}?fieldValidation=Strict`, `{"metadata":{"name":"big-strict"},"z":1,"z":2,${unknown}}`)
  expectStatus("150,000 unknown fields, strictly", strict, ...refusals)
  await expectTurns("150,000 unknown fields, strictly")
  const ownerReferences = many(15_000, (index) => ({ apiVersion: "v1", kind: "Pod", name: `p${index}`, uid: `u${index}` }))
  const owned = await admin.create(configMaps, { metadata: { name: "big-owners", ownerReferences } })
  expectStatus("15,000 owners", owned, 201, ...refusals)
  await pause(2000)
}

async function bigPatches({ admin, expectStatus }: Attempt): Promise<void> {
  await admin.create(configMaps, { metadata: { name: "patched" }, data: { a: "x".repeat(500_000) } })
  const patch = (operations: readonly object[]) =>
    admin.send({
      method: "PATCH",
      path: `${configMaps}/patched`,
      headers: { "content-type": "application/json-patch+json" },
      body: operations,
    })
  const list = { op: "add", path: "/metadata/finalizers", value: many(200_000, () => "a") }
  const inserts = many(9998, () => ({ op: "add", path: "/metadata/finalizers/0", value: "b" }))
  expectStatus("9,998 inserts before 200,000 items", await patch([list, ...inserts]), ...refusals)
  const copies = many(3000, (index) => ({ op: "copy", from: "/data/a", path: `/data/c${index}` }))
  expectStatus("3,000 copies of 500 KB", await patch(copies), ...refusals)
  const doubled = many(40, (index) => ({ op: "copy", from: "/data", path: `/data/d${index}` }))
  expectStatus("40 copies of everything into itself", await patch(doubled), ...refusals)
  const tests = many(60_000, () => ({ op: "test", path: "/kind", value: "ConfigMap" }))
  expectStatus("60,000 operations", await patch(tests), ...refusals)
}

/** Operations that are few bytes each and used to go through all of a long list or object. */
async function patchesOfLongObjects({ admin, expectStatus, expectTurns }: Attempt): Promise<void> {
  const deployments = "/apis/apps/v1/namespaces/default/deployments"
  const env = many(16_000, (index) => ({ name: `E${index}`, value: "v" }))
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i", env }] } }
  const data = Object.fromEntries(many(20_000, (index) => [`k${index}`, ""]))
  expectStatus("20,000 keys", await admin.create(configMaps, { metadata: { name: "wide" }, data }), 201)
  const spec = { replicas: 0, selector: { matchLabels: { a: "b" } }, template }
  expectStatus("16,000 variables", await admin.create(deployments, { metadata: { name: "d" }, spec }), 201)
  await expectTurns("the preparation")
  const patch = async (what: string, type: string, path: string, body: unknown) => {
    const answer = await admin.send({ method: "PATCH", path, headers: { "content-type": `application/${type}+json` }, body })
    expectStatus(what, answer, 200, ...refusals)
    await expectTurns(what)
  }
  const operations = [
    { op: "copy", from: "/data/k0", path: "/data/new" },
    { op: "remove", path: "/data/new" },
  ]
  await patch("10,000 copies and removals", "json-patch", `${configMaps}/wide`, many(5000, () => operations).flat())
  const change = (container: object) => ({ spec: { template: { spec: { containers: [{ name: "c", ...container }] } } } })
  const deletions = env.map(({ name }) => ({ name, $patch: "delete" })).reverse()
  await patch("16,000 deletions", "strategic-merge-patch", `${deployments}/d`, change({ env: deletions }))
  await patch("an empty order", "strategic-merge-patch", `${deployments}/d`, change({ "$setElementOrder/env": [], env }))
}

/** Nesting, aliases and lengths that lie: refused before anything is done with them. */
async function bombs({ admin, expectStatus }: Attempt): Promise<void> {
  const send = (body: string | Buffer, type = "application/json") =>
    admin.send({ method: "POST", path: configMaps, headers: { "content-type": type }, body })
  expectStatus("1.4 million brackets", await send("[".repeat(1_400_000)), ...refusals)
  expectStatus("500,000 nested objects", await send('{"a":'.repeat(500_000)), ...refusals)
  expectStatus("9,000 brackets", await send(`{"metadata":{"name":"d"},"x":${"[".repeat(9000)}${"]".repeat(9000)}}`), 201, ...refusals)
  expectStatus("4 MB", await send(JSON.stringify({ metadata: { name: "x" }, data: { a: "x".repeat(2 ** 22) } })), ...refusals)
  const levels = many(12, (level) => `l${level}: &l${level} [${many(10, () => (level === 0 ? "x" : `*l${level - 1}`)).join(",")}]\n`)
  expectStatus("aliases of aliases", await send(`${levels.join("")}metadata: {name: y}\n`, "application/yaml"), ...refusals)
  expectStatus("flow brackets of YAML", await send("[".repeat(100_000), "application/yaml"), ...refusals)
  const protobuf = Buffer.from([0x6b, 0x38, 0x73, 0x00, 0x12, 0xff, 0xff, 0xff, 0xff, 0x07, 0x0a])
  expectStatus("a length of protobuf that lies", await send(protobuf, "application/vnd.kubernetes.protobuf"), ...refusals)
  const gzip = await admin.send({ method: "POST", path: configMaps, headers: { "content-encoding": "gzip" }, body: Buffer.alloc(100) })
  expectStatus("a compressed body", gzip, ...refusals)
}

/** Keys that every JavaScript object has: they are data, or refused, and change nothing else. */
async function prototypeKeys({ admin, expect, expectStatus }: Attempt): Promise<void> {
  const keys = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]
  for (const key of keys) {
    const body = `{"metadata":{"name":"p-${key.replaceAll("_", "").toLowerCase()}","labels":{"${key}":"polluted"}},"${key}":{"polluted":"yes"},"data":{"${key}":"polluted"}}`
    expectStatus(`a body with ${key}`, await admin.create(configMaps, body), 201, ...refusals)
    const operations = [{ op: "add", path: `/${key}/polluted`, value: "yes" }]
    const headers = { "content-type": "application/json-patch+json" }
    const patched = await admin.send({ method: "PATCH", path: `${configMaps}/p-constructor`, headers, body: operations })
    expectStatus(`a patch of ${key}`, patched, 200, ...refusals)
    expectStatus(`a path with ${key}`, await admin.send({ path: `/api/v1/${key}` }), ...refusals)
    expectStatus(`a group ${key}`, await admin.send({ path: `/apis/${key}/v1` }), ...refusals)
    expectStatus(`a subresource ${key}`, await admin.send({ path: `${configMaps}/p-constructor/${key}` }), ...refusals)
  }
  const clean = await admin.create(configMaps, { metadata: { name: "clean" } })
  expect(clean.status === 201 && !clean.text.includes("polluted"), "an object that knows nothing of the others", clean.text)
  const escapes = ["..%2f..%2fsecrets", "%2e%2e", "..", "%00", "a%2fb"]
  for (const name of escapes) expectStatus(`the name ${name}`, await admin.send({ path: `${configMaps}/${name}` }), 200, 301, ...refusals)
  const token = Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: 1, start: "../../../secrets/" })).toString("base64url")
  const climbed = await admin.send({ path: `${configMaps}?limit=1&continue=${token}` })
  expect(!climbed.text.includes('"kind":"Secret"'), "no Secret behind a continue token of ConfigMaps", climbed.text)
}

/** Lists of tens of thousands where quadratic work would show, most of them just below the limit of values in a body. */
async function longLists({ admin, expectStatus, expectTurns }: Attempt): Promise<void> {
  const pod = (name: string, container: object, spec: object = {}) => ({
    metadata: { name },
    spec: { nodeName: "none", containers: [{ name: "c", image: "i", ...container }], ...spec },
  })
  const small = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
  const address = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
  const bodies: readonly (readonly [name: string, path: string, body: object])[] = [
    ["16,000 variables", `${core}/pods`, pod("env", { env: many(16_000, (index) => ({ name: `E${index}`, value: "v" })) })],
    ["15,000 containers", `${core}/pods`, pod("many", {}, { containers: many(15_000, (index) => ({ name: `c${index}`, image: "i" })) })],
    ["24,000 ports", `${core}/pods`, pod("ports", { ports: many(24_000, (index) => ({ containerPort: 1 + index })) })],
    ["10,000 volumes", `${core}/pods`, pod("volumes", {}, { volumes: many(10_000, (index) => ({ name: `v${index}`, emptyDir: {} })) })],
    [
      "16,000 tolerations",
      `${core}/pods`,
      pod("tolerations", {}, { tolerations: many(16_000, (index) => ({ key: `k${index}`, operator: "Exists" })) }),
    ],
    [
      "16,000 service ports",
      `${core}/services`,
      { metadata: { name: "s" }, spec: { ports: many(16_000, (index) => ({ name: `p${index}`, port: 1 + index })) } },
    ],
    [
      "20,000 addresses",
      `${core}/endpoints`,
      { metadata: { name: "e" }, subsets: [{ addresses: many(20_000, (index) => ({ ip: address(index) })), ports: [{ port: 80 }] }] },
    ],
    ["49,000 labels", configMaps, { metadata: { name: "l", labels: Object.fromEntries(many(49_000, (index) => [`l${index}`, "v"])) } }],
    ["49,000 finalizers", configMaps, { metadata: { name: "f", finalizers: many(49_000, (index) => `a.b/f${index}`) } }],
    [
      "20,000 hard limits",
      `${core}/resourcequotas`,
      { metadata: { name: "q" }, spec: { hard: Object.fromEntries(many(20_000, (index) => [`count/r${index}.example.com`, "1"])) } },
    ],
    [
      "7,000 rules",
      "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
      { metadata: { name: "r" }, rules: many(7000, (index) => ({ apiGroups: [""], resources: [`r${index}`], verbs: ["get"] })) },
    ],
    [
      "16,000 expressions",
      "/apis/apps/v1/namespaces/default/deployments",
      {
        metadata: { name: "d" },
        spec: {
          replicas: 0,
          selector: { matchExpressions: many(16_000, (index) => ({ key: `l${index}`, operator: "DoesNotExist" })) },
          template: small,
        },
      },
    ],
  ]
  for (const [name, path, body] of bodies) {
    expectStatus(name, await admin.create(path, body), 201, ...refusals)
    await expectTurns(name)
  }
  await pause(2000)
}

/** A template of thousands of containers: what the controllers and a kubelet make of it is made in this process, without a body. */
async function manyContainers({ admin, expectStatus }: Attempt): Promise<void> {
  const containers = many(9000, (index) => ({ name: `c${index}`, image: "i" }))
  const template = { metadata: { labels: { a: "b" } }, spec: { containers } }
  const spec = { replicas: 1, selector: { matchLabels: { a: "b" } }, template }
  expectStatus(
    "9,000 containers",
    await admin.create("/apis/apps/v1/namespaces/default/deployments", { metadata: { name: "d" }, spec }),
    201,
  )
  await pause(5000)
}

/** Server-side apply works with sets of all fields, the ones before and the ones after: each step of that has a turn of its own. */
async function appliesOfManyFields({ admin, expectStatus, expectTurns }: Attempt): Promise<void> {
  const apply = (name: string, manager: string, from: number, value: string) => {
    const data = Object.fromEntries(many(30_000, (index) => [`key-${from + index}`, value]))
    return admin.send({
      method: "PATCH",
      path: `${configMaps}/${name}?fieldManager=${manager}&force=true`,
      headers: { "content-type": "application/apply-patch+yaml" },
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data },
    })
  }
  expectStatus("30,000 keys", await apply("applied", "a", 0, ""), 201)
  await expectTurns("30,000 keys")
  expectStatus("half of them replaced", await apply("applied", "a", 15_000, ""), 200)
  await expectTurns("half of them replaced")
  expectStatus("all taken over by another manager", await apply("applied", "b", 15_000, "x"), 200, ...refusals)
  await expectTurns("all taken over by another manager")
}

/** Bodies of a user that is known: answered or refused, and no other client waits. */
export const bodyRows: readonly Row[] = [
  { number: 23, name: "bodies of megabytes", server: "up", memory: 20, attempt: bigBodies },
  { number: 23, name: "patches of thousands of operations", server: "up", attempt: bigPatches },
  { number: 41, name: "patches of objects with tens of thousands of fields", server: "up", memory: 60, attempt: patchesOfLongObjects },
  { number: 50, name: "a Deployment of 9,000 containers", server: "up", memory: 60, attempt: manyContainers },
  { number: 105, name: "deep JSON, alias bombs and lengths that lie", server: "up", attempt: bombs },
  { number: 106, name: "keys of the prototype and names that climb", server: "up", attempt: prototypeKeys },
  { number: 107, name: "lists of tens of thousands", server: "up", memory: 60, attempt: longLists },
  { number: 119, name: "server-side apply of tens of thousands of fields", server: "up", memory: 60, attempt: appliesOfManyFields },
]
