import { type Dial, parseJson, type TransportResponse, valueBody } from "@pilothouse/seams"
import { objectIn, testServer } from "../../testing/server.ts"

/** A ConversionReview as a webhook gets it. */
export interface ConversionReview {
  readonly apiVersion: string
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Endpoint[] }
}

export interface Endpoint {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly spec: { readonly hostPort?: string; readonly host?: string; readonly port?: string; readonly replicas?: number }
}

export type Convert = (review: ConversionReview) => unknown

/** v1 says "a:80" where v2 says host and port. */
export function convertEndpoint({ spec = {}, ...object }: Endpoint, apiVersion: string): Endpoint {
  const { hostPort, host, port, ...rest } = spec
  const [before = "", behind = ""] = (hostPort ?? `${host}:${port}`).split(":")
  return {
    ...object,
    apiVersion,
    spec: apiVersion.endsWith("v1") ? { hostPort: `${before}:${behind}`, ...rest } : { host: before, port: behind, ...rest },
  }
}

/** Answers as a webhook does that works. */
export function converted({ apiVersion, request }: ConversionReview): object {
  const { uid, desiredAPIVersion, objects } = request
  const convertedObjects = objects.map((object) => convertEndpoint(object, desiredAPIVersion))
  return { apiVersion, kind: "ConversionReview", response: { uid, convertedObjects, result: { status: "Success" } } }
}

const text = { type: "string" } as const
const subresources = { status: {}, scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } }
const status = { type: "object", properties: { ready: { type: "boolean" }, replicas: { type: "integer" } } }
const common = { replicas: { type: "integer" } }

function version(name: string, properties: object, more: object): object {
  const spec = { type: "object", properties: { ...properties, ...common } }
  return { name, served: true, schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } }, subresources, ...more }
}

/** A definition of Endpoints in v1, which is stored, and v2. */
export function endpointDefinition({ storage = "v1", reviewVersions = ["v1"] } = {}): object {
  return {
    metadata: { name: "endpoints.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "endpoints", kind: "Endpoint" },
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://hook/convert" }, conversionReviewVersions: reviewVersions },
      },
      versions: [
        version("v1", { hostPort: text }, { storage: storage === "v1" }),
        version("v2", { host: text, port: text }, { storage: storage === "v2", selectableFields: [{ jsonPath: ".spec.host" }] }),
      ],
    },
  }
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

export const pathOf = (version: string, name?: string) =>
  `/apis/example.com/${version}/namespaces/default/endpoints${name === undefined ? "" : `/${name}`}`

export const endpoint = (name: string, hostPort = "a:80") => ({
  apiVersion: "example.com/v1",
  kind: "Endpoint",
  metadata: { name },
  spec: { hostPort },
})

/** A server with the definition, whose webhook answers by `hook.convert`: that may be changed. */
export async function endpointServer(options: Parameters<typeof endpointDefinition>[0] & { readonly more?: object } = {}) {
  const hook: { convert: Convert; readonly reviews: ConversionReview[] } = { convert: converted, reviews: [] }
  const dial: Dial = () => async (request) => {
    if (request.body?.type !== "bytes") throw new Error("expected bytes")
    const review = parseJson(new TextDecoder().decode(request.body.bytes)) as ConversionReview
    hook.reviews.push(review)
    const value = await hook.convert(review)
    return isResponse(value) ? value : { status: 200, headers: {}, body: valueBody(value) }
  }
  const api = testServer("in process", { dial, ...options.more })
  objectIn(await api.post(definitions, endpointDefinition(options)), 201)
  return { api, hook, change: (definition: object) => api.patch(`${definitions}/endpoints.example.com`, "merge", definition) }
}

function isResponse(value: unknown): value is TransportResponse {
  return typeof value === "object" && value !== null && "headers" in value
}
