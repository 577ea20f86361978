import { createApiServer } from "@pilothouse/apiserver"
import { type BytesBody, parseJson, type Random, type TransportRequest, VirtualClock, valueBody } from "@pilothouse/seams"
import { faultOf } from "./fuzzer.ts"
import { hostileJson } from "./hostile-json.ts"

const json = "application/json"
const group = "/apis/admissionregistration.k8s.io/v1"
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { a: "b" } }, data: { a: "b" } })
const box = (name: string) => ({ apiVersion: "example.com/v2", kind: "Box", metadata: { name }, spec: { size: 1 } })

/** What is written, which webhook is asked for it, and the path. */
const writes = [
  { hook: "mutating", path: "/api/v1/namespaces/default/configmaps", object: configMap },
  { hook: "validating", path: "/api/v1/namespaces/other/configmaps", object: configMap },
  { hook: "conversion", path: "/apis/example.com/v2/namespaces/default/boxes", object: box },
] as const

/** Errors of JavaScript in an answer are the server's own faults: those of a webhook have words of their own. */
const ownFault = /Cannot read prop|is not a function|is not iterable|Maximum call stack|Invalid array length|undefined \(reading/

/**
 * Returns what sends one write to a server whose webhooks answer AdmissionReviews and ConversionReviews with hostile variants of good answers, and says
 * what is wrong: no answer, a refusal that is no Status, or an error of the program itself.
 */
export async function webhookAnswersFuzzer(random: Random): Promise<() => Promise<string | undefined>> {
  const clock = new VirtualClock()
  const dial = () => async (request: TransportRequest) => ({
    status: 200,
    headers: { "content-type": json },
    body: answerTo(random, request),
  })
  const send = createApiServer({ clock, random, dial }).transport()
  const post = (path: string, body: object) => send({ verb: "POST", path, query: {}, headers: {}, body: valueBody(body) })
  for (const { path, body } of registrations) {
    const { status, body: answer } = await post(path, body)
    if (status !== 201) throw new Error(`expected 201 for ${path}, found ${status} ${JSON.stringify(answer)}`)
  }
  await clock.settle()
  let count = 0
  return async () => {
    const { hook, path, object } = writes[random.int(writes.length)]!
    const answered = post(path, object(`o${count++}`))
    const fault = await faultOf(clock, answered)
    if (fault !== undefined) return `${hook}: ${fault}`
    const text = JSON.stringify((await answered).body)
    return ownFault.test(text) ? `${hook}: ${text.slice(0, 500)}` : undefined
  }
}

/** A good answer with one value that is hostile; one in ten is good. */
function answerTo(random: Random, { body }: TransportRequest): BytesBody {
  const review = parseJson(new TextDecoder().decode((body as BytesBody).bytes)) as Review
  const { apiVersion, kind, request } = review
  const response = kind === "ConversionReview" ? converted(request) : patched(random, request)
  const good = { apiVersion, kind, response: { uid: request.uid, ...response } }
  if (random.int(10) === 0) return { type: "bytes", bytes: new TextEncoder().encode(JSON.stringify(good)), contentType: json }
  return hostileJson(random, good, json)
}

interface Review {
  readonly apiVersion: string
  readonly kind: string
  readonly request: {
    readonly uid: string
    readonly desiredAPIVersion?: string
    readonly objects?: readonly object[]
    readonly namespace?: string
  }
}

function converted({ desiredAPIVersion, objects = [] }: Review["request"]): object {
  return { convertedObjects: objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion })), result: { status: "Success" } }
}

/** The patch is hostile by itself too: its text is in base64, which nothing else reaches. */
function patched(random: Random, { namespace }: Review["request"]): object {
  const about = { allowed: true, warnings: ["a"], auditAnnotations: { a: "b" }, status: { code: 200, message: "m", reason: "r" } }
  if (namespace === "other") return about
  const operations = [
    { op: "add", path: "/data/x", value: "y" },
    { op: "replace", path: "/metadata/labels", value: { c: "d" } },
    { op: "copy", from: "/data/a", path: "/metadata/annotations" },
  ]
  return { ...about, patchType: "JSONPatch", patch: Buffer.from(hostileJson(random, operations, json).bytes).toString("base64") }
}

function hooksOf(namespace: string): readonly object[] {
  return [
    {
      name: "a.b.example.com",
      clientConfig: { url: "https://hook/" },
      rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    },
  ]
}

function version(name: string, storage: boolean): object {
  const spec = { type: "object", properties: { size: { type: "integer" } } }
  return { name, served: true, storage, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } }
}

const registrations = [
  { path: "/api/v1/namespaces", body: { metadata: { name: "other" } } },
  { path: `${group}/mutatingwebhookconfigurations`, body: { metadata: { name: "h" }, webhooks: hooksOf("default") } },
  { path: `${group}/validatingwebhookconfigurations`, body: { metadata: { name: "h" }, webhooks: hooksOf("other") } },
  {
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    body: {
      metadata: { name: "boxes.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "boxes", kind: "Box" },
        conversion: { strategy: "Webhook", webhook: { clientConfig: { url: "https://hook/" }, conversionReviewVersions: ["v1"] } },
        versions: [version("v1", true), version("v2", false)],
      },
    },
  },
] as const
