import { type Dial, PilothouseError, parseJson, type TransportRequest, valueBody } from "@pilothouse/seams"
import { objectIn, testServer } from "../../../testing/server.ts"

export const configMaps = "/api/v1/namespaces/default/configmaps"
export const configurations = (type: string) => `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations`

export interface Review {
  readonly request: { readonly uid: string; readonly operation: string; readonly object: { readonly metadata: object } } & Record<
    string,
    unknown
  >
}
export type Answer = (review: Review, request: TransportRequest) => unknown

/** Webhooks by the host of their URL; each gets the AdmissionReview and returns a response, or throws. */
export function dialing(hooks: Record<string, Answer>) {
  const reviews: Record<string, Review[]> = {}
  const dial: Dial = ({ server }) => {
    const host = new URL(server).hostname
    return async (request) => {
      if (request.body?.type !== "bytes") throw new Error("expected bytes")
      const review = parseJson(new TextDecoder().decode(request.body.bytes)) as Review
      ;(reviews[host] ??= []).push(review)
      const hook = hooks[host]
      if (hook === undefined) throw new PilothouseError("CONNECTION_LOST", `dial tcp ${host}:443: connect: connection refused`)
      const response = await hook(review, request)
      const { uid } = review.request
      return {
        status: 200,
        headers: {},
        body: valueBody({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, ...(response as object) } }),
      }
    }
  }
  return { dial, reviews }
}

export const allowed = { allowed: true }
export const patchOf = (...operations: object[]) => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
})
export const label = (name: string, value = "yes") => ({ op: "add", path: `/metadata/labels/${name}`, value })
export const labels = { op: "add", path: "/metadata/labels", value: {} }

export function webhook(host: string, more: object = {}) {
  return {
    name: `${host}.example.com`,
    clientConfig: { url: `https://${host}/hook` },
    rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...more,
  }
}

export async function serverWith(hooks: Record<string, Answer>, configured: Record<string, object[]>) {
  const { dial, reviews } = dialing(hooks)
  const api = testServer("in process", { dial })
  for (const [type, webhooks] of Object.entries(configured)) {
    objectIn(await api.post(configurations(type), { metadata: { name: "hooks" }, webhooks }), 201)
  }
  return { api, reviews }
}
