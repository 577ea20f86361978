import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { hostileAnswers } from "./extension-rows.ts"
import { answered, type HostileAnswer, HostileExtension } from "./hostile-extension.ts"
import { peakWithGarbage, watchResident } from "./resident.ts"
import type { Attempt, Row } from "./row.ts"
import { isTrueWithin, pause } from "./waiting.ts"
import { administrator, Wire } from "./wire.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const boxes = "/apis/hostile.example.com/v2/namespaces/default/boxes"
const many = (count: number, text: (at: number) => string) => Array.from({ length: count }, (_, at) => text(at)).join(",")

interface Review {
  readonly apiVersion: string
  readonly kind: string
  readonly request: { readonly uid: string; readonly objects?: readonly Record<string, unknown>[] }
}

/** An answer that its caller believes, with what is made of the request. */
function believed(response: (request: Review["request"]) => string): HostileAnswer {
  return (socket, head, body) => {
    const { apiVersion, kind, request } = JSON.parse(body) as Review
    const text = `{"apiVersion":"${apiVersion}","kind":"${kind}","response":{"uid":"${request.uid}",${response(request)}}}`
    answered(text)(socket, head, body)
  }
}

/** A patch as text, which comes in base64. */
const patch = (operations: string) =>
  believed(() => `"allowed":true,"patchType":"JSONPatch","patch":"${Buffer.from(`[${operations}]`).toString("base64")}"`)
const add = (path: string, value: string) => `{"op":"add","path":"${path}","value":${value}}`

const patches: readonly (readonly [name: string, answer: HostileAnswer])[] = [
  [
    "a patch that doubles",
    patch([add("/data", '{"a":"b"}'), ...Array.from({ length: 60 }, (_, at) => `{"op":"copy","from":"","path":"/x${at}"}`)].join(",")),
  ],
  ["30,000 operations", patch(many(30_000, (at) => add(`/data/k${at}`, '"v"')))],
  [
    "9,000 operations on a long list",
    patch(
      `${add("/metadata/finalizers", `[${many(90_000, (at) => `"a${at}"`)}]`)},${many(9000, () => add("/metadata/finalizers/0", '"x"'))}`,
    ),
  ],
  ["60,000 labels", patch(add("/metadata/labels", `{${many(60_000, (at) => `"l${at}":"v"`)}}`))],
  ["400,000 finalizers", patch(add("/metadata/finalizers", `[${many(400_000, () => '"a"')}]`))],
  ["700,000 owner references", patch(add("/metadata/ownerReferences", `[${many(700_000, () => "{}")}]`))],
  ["60,000 unknown fields", patch(many(9000, (at) => add(`/u${at}`, '{"a":{"b":{"c":"d"}}}')))],
  ["a patch that is nested deep", patch(add("/data", `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`))],
  ["another name", patch(add("/metadata/name", '"other"'))],
  ["keys of the prototype", patch(`${add("/__proto__/polluted", '"yes"')},${add("/constructor/prototype/polluted", '"yes"')}`)],
  ["a pointer of a megabyte", patch(add("/a".repeat(500_000), "1"))],
  [
    "2 MB of managed fields",
    patch(
      add(
        "/metadata/managedFields",
        `[${many(8000, (at) => `{"manager":"m${at}","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:k${at}":{}}}}`)}]`,
      ),
    ),
  ],
  ["20,000 warnings", believed(() => `"allowed":true,"warnings":[${many(20_000, (at) => `"w${at}\u0000\u001b[31m"`)}]`)],
  [
    "100,000 causes",
    believed(
      () => `"allowed":false,"status":{"code":99999,"message":"m","details":{"causes":[${many(60_000, (at) => `{"message":"c${at}"}`)}]}}`,
    ),
  ],
  ["another uid", answered('{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"x","allowed":true}}')],
]

async function register({ admin, expectStatus }: Attempt, { port, authority }: HostileExtension): Promise<void> {
  const clientConfig = { url: `https://127.0.0.1:${port}/review`, caBundle: Buffer.from(authority).toString("base64") }
  const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"], scope: "Namespaced" }]
  const webhook = {
    name: "hook.hostile.example.com",
    clientConfig,
    rules,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    timeoutSeconds: 2,
    reinvocationPolicy: "IfNeeded",
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } },
  }
  for (const [kind, plural] of [
    ["MutatingWebhookConfiguration", "mutatingwebhookconfigurations"],
    ["ValidatingWebhookConfiguration", "validatingwebhookconfigurations"],
  ]) {
    const { reinvocationPolicy, ...validating } = webhook
    const webhooks = [kind === "MutatingWebhookConfiguration" ? { ...validating, reinvocationPolicy } : validating]
    const configuration = { kind, metadata: { name: "hostile" }, webhooks }
    expectStatus(kind ?? "", await admin.create(`/apis/admissionregistration.k8s.io/v1/${plural}`, configuration), 201)
  }
}

/** Admission webhooks whose every answer is hostile: what they can break are the writes that they are asked about. */
async function hostileAdmission(attempt: Attempt): Promise<void> {
  const { admin, anonymous, directory, expect, expectStatus, expectTurns } = attempt
  await using webhook = await HostileExtension.start(join(directory, "webhook"))
  await register(attempt, webhook)
  const stop = watchResident(attempt)
  for (const [name, answer] of [...hostileAnswers, ...patches]) {
    webhook.answer = answer
    const asked = webhook.requests.length
    const sent = Array.from({ length: 5 }, (_, at) => admin.create(configMaps, { metadata: { name: `asked-${at}` }, data: { a: "b" } }))
    expectStatus(`another request beside ${name}`, await admin.send({ path: "/api/v1/namespaces/default" }), 200)
    for (const { status, text } of await Promise.all(sent))
      expect(status >= 400 || text.includes("asked-"), `a whole answer to a write beside ${name}`, `${status} ${text.slice(0, 200)}`)
    expect(webhook.requests.length > asked, `the webhook to be asked for ${name}`, "that it was not")
    const isLeft = await isTrueWithin(() => webhook.connections === 0, 20_000)
    expect(isLeft, `no connection to the webhook after ${name}`, webhook.connections)
    await expectTurns(name)
    await admin.send({ method: "DELETE", path: configMaps })
  }
  const grown = stop()
  expect(grown < peakWithGarbage, `the process to grow by less than ${peakWithGarbage} MB`, `${grown.toFixed(0)} MB`)
  expect((await anonymous.send({ path: "/livez" })).status === 200, "that it serves", "that it does not")
}

const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }
const strict = {
  openAPIV3Schema: {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          numbers: { type: "array", items: { type: "integer", default: 1 } },
          list: { type: "array", items: { type: "object", properties: { a: { type: "string", default: "d" } } } },
        },
      },
    },
  },
}

/** Every object of the request, changed. */
const converted = (spec: (at: number) => string) =>
  believed(
    ({ objects = [] }) =>
      `"result":{"status":"Success"},"convertedObjects":[${objects
        .map(
          (object, at) =>
            `{"apiVersion":"hostile.example.com/v2","kind":"Box","metadata":${JSON.stringify(object["metadata"])},"spec":${spec(at)}}`,
        )
        .join(",")}]`,
  )

const conversions: readonly (readonly [name: string, answer: HostileAnswer])[] = [
  ["4 MB of numbers", converted((at) => (at > 0 ? "{}" : `{"numbers":[${many(1_500_000, () => "0")}]}`))],
  ["4 MB of empty items", converted((at) => (at > 0 ? "{}" : `{"list":[${many(1_000_000, () => "{}")}]}`))],
  ["4 MB of unknown fields", converted((at) => (at > 0 ? "{}" : `{${many(250_000, (field) => `"u${field}":1`)}}`))],
  ["nested objects", converted(() => `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`)],
  ["900 levels", converted(() => `${'{"a":'.repeat(900)}1${"}".repeat(900)}`)],
  ["keys of the prototype", converted(() => '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}')],
  ["too few objects", believed(() => '"result":{"status":"Success"},"convertedObjects":[]')],
  ["a million objects", believed(() => `"result":{"status":"Success"},"convertedObjects":[${many(1_000_000, () => "1")}]`)],
  [
    "other names",
    believed(
      ({ objects = [] }) =>
        `"result":{"status":"Success"},"convertedObjects":[${objects.map(() => '{"apiVersion":"hostile.example.com/v2","kind":"Box","metadata":{"name":"x"}}').join(",")}]`,
    ),
  ],
  [
    "40,000 labels",
    believed(
      ({ objects = [] }) =>
        `"result":{"status":"Success"},"convertedObjects":[${objects.map((object, at) => `{"apiVersion":"hostile.example.com/v2","kind":"Box","metadata":${at > 0 ? JSON.stringify(object["metadata"]) : JSON.stringify(object["metadata"]).replace(/\}$/, `,"labels":{${many(100_000, (label) => `"l${label}":"-"`)}}}`)}}`).join(",")}]`,
    ),
  ],
  ["a refusal of a megabyte", believed(() => `"result":{"status":"Failure","message":"${"m\\u0000".repeat(200_000)}"}`)],
]

/** A webhook of a conversion has 30 seconds for each answer, so only one of them is late. */
const prompt = new Set(["bytes without end", "headers without end", "nothing", "a redirect", "less than its length", "status 999"])

async function hostileConversion(attempt: Attempt): Promise<void> {
  const { admin, directory, expect, expectStatus, expectTurns } = attempt
  await using webhook = await HostileExtension.start(join(directory, "webhook"))
  const clientConfig = { url: `https://127.0.0.1:${webhook.port}/convert`, caBundle: Buffer.from(webhook.authority).toString("base64") }
  const version = (name: string, storage: boolean) => ({ name, storage, served: true, schema: storage ? schema : strict })
  const definition = {
    metadata: { name: "boxes.hostile.example.com" },
    spec: {
      group: "hostile.example.com",
      names: { plural: "boxes", kind: "Box" },
      scope: "Namespaced",
      versions: [version("v1", true), version("v2", false)],
      conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
    },
  }
  expectStatus("the definition", await admin.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition), 201)
  const stored = boxes.replace("v2", "v1")
  expect(
    await isTrueWithin(async () => (await admin.send({ path: stored })).status === 200, 10_000),
    "boxes to be served",
    "that they are not",
  )
  for (let at = 0; at < 20; at++) {
    const box = {
      apiVersion: "hostile.example.com/v1",
      kind: "Box",
      metadata: { name: `b-${at}` },
      spec: { text: "x".repeat(at === 0 ? 900_000 : 10) },
    }
    expectStatus(`box ${at}`, await admin.create(stored, box), 201)
  }
  const stop = watchResident(attempt)
  for (const [name, answer] of [...hostileAnswers.filter(([known]) => prompt.has(known)), ...conversions]) {
    webhook.answer = answer
    const asked = webhook.requests.length
    const paths = [boxes, `${boxes}/b-0`, `${boxes}/b-1`]
    const sent = paths.map((path) => admin.send({ path: `${path}?timeout=2s` }))
    const watch = admin.session().request({ ":path": `${boxes}?watch=1&timeoutSeconds=2&resourceVersion=0` })
    watch.on("error", () => {}).resume()
    const tables = admin.send({ path: `${boxes}?timeout=2s`, headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } })
    const merge = { method: "PATCH", path: `${boxes}/b-2?timeout=2s`, headers: { "content-type": "application/merge-patch+json" } }
    const patched = admin.send({ ...merge, body: { metadata: { annotations: { a: name } } } })
    expectStatus(`another request beside ${name}`, await admin.send({ path: "/api/v1/namespaces/default" }), 200)
    for (const { status, text } of await Promise.all([...sent, tables, patched]))
      expect(status >= 200, `an answer to a request beside ${name}`, `${status} ${text.slice(0, 200)}`)
    expect(webhook.requests.length > asked, `the webhook to be asked for ${name}`, "that it was not")
    await pause(100)
    watch.session?.destroy()
    await expectTurns(name)
  }
  // Controllers read boxes too, so there is always another request.
  webhook.answer = (socket) => socket.destroy()
  expect(await isTrueWithin(() => webhook.connections < 3, 45_000), "no connection to the webhook to be kept", webhook.connections)
  const grown = stop()
  expect(grown < peakWithGarbage, `the process to grow by less than ${peakWithGarbage} MB`, `${grown.toFixed(0)} MB`)
}

const megabyte = 2 ** 20

/** Pods whose images are as long as a pod may be: answers about them are kept, and the images need not be. */
async function longImages({ directory, expect, expectStatus, start }: Attempt): Promise<void> {
  await using webhook = await HostileExtension.start(join(directory, "webhook"))
  webhook.answer = answered('{"kind":"ImageReview","apiVersion":"imagepolicy.k8s.io/v1alpha1","status":{"allowed":false}}')
  const authority = Buffer.from(webhook.authority).toString("base64")
  const cluster = { server: `https://127.0.0.1:${webhook.port}/review`, "certificate-authority-data": authority }
  const kubeconfig = {
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  }
  const imagePolicy = {
    kubeConfigFile: join(directory, "webhook.kubeconfig"),
    allowTTL: 300,
    denyTTL: 300,
    retryBackoff: 500,
    defaultAllow: false,
  }
  const configuration = {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AdmissionConfiguration",
    plugins: [{ name: "ImagePolicyWebhook", configuration: { imagePolicy } }],
  }
  writeFileSync(imagePolicy.kubeConfigFile, JSON.stringify(kubeconfig))
  writeFileSync(join(directory, "admission.yaml"), JSON.stringify(configuration))
  const data = join(directory, "api")
  const own = [
    "--secure-port",
    "0",
    "--ephemeral",
    "--data-dir",
    data,
    "--admission-control-config-file",
    join(directory, "admission.yaml"),
  ]
  const program = start([
    "apiserver",
    ...own,
    "--enable-admission-plugins=ImagePolicyWebhook",
    "--disable-admission-plugins=ServiceAccount",
  ])
  await program.untilSays("is up at")
  const admin = new Wire(Number(/127\.0\.0\.1:(\d+)/.exec(program.output)?.[1]), administrator(join(data, "kubeconfig")))
  const refused = async (from: number, to: number) => {
    for (let at = from; at < to; at++) {
      const containers = [{ name: "c", image: `${at}${"x".repeat(megabyte)}` }]
      const answer = await admin.create("/api/v1/namespaces/default/pods", { metadata: { name: "p" }, spec: { containers } })
      expectStatus("a pod that the webhook refuses", answer, 403)
      expect(answer.text.includes("rejected by webhook backend"), "the webhook's refusal", answer.text.slice(0, 300))
    }
    return (await program.ask("memory", 30_000)) ?? 0
  }
  const before = await refused(0, 5)
  const grown = ((await refused(5, 85)) - before) / megabyte
  expect(grown < 30, "memory within 30 MB of the start", `+${grown.toFixed(1)} MB`)
  admin.leave()
}

/** Webhooks that were taken over, or that never were any good. */
export const webhookRows: readonly Row[] = [
  { number: 74, name: "admission webhooks that answer nonsense", server: "up", descriptors: 2, memory: 20, attempt: hostileAdmission },
  { number: 94, name: "images of a megabyte for an image policy webhook", server: "none", attempt: longImages },
  { number: 75, name: "a conversion webhook that answers nonsense", server: "up", descriptors: 2, memory: 40, attempt: hostileConversion },
]
