import { namespace } from "../live-objects.ts"
import type { JsonObject } from "./object.ts"

interface Review {
  readonly path: string
  readonly body: JsonObject
}

const authorization = "/apis/authorization.k8s.io/v1"
const attributes = { resourceAttributes: { verb: "get", resource: "pods", namespace } }

function review(group: string, kind: string, path: string, spec: JsonObject): Review {
  return { path, body: { apiVersion: `${group}/v1`, kind, metadata: {}, spec } }
}

/** Bodies that are answered and not kept. SelfSubjectRulesReview is not among them: its rules come in another order each time. */
export const reviews: readonly Review[] = [
  {
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview", metadata: {} },
  },
  review("authentication.k8s.io", "TokenReview", "/apis/authentication.k8s.io/v1/tokenreviews", { token: "admin-token" }),
  review("authorization.k8s.io", "SubjectAccessReview", `${authorization}/subjectaccessreviews`, {
    ...attributes,
    user: "u",
    groups: ["g"],
    extra: { a: ["b", "c"] },
  }),
  review("authorization.k8s.io", "SelfSubjectAccessReview", `${authorization}/selfsubjectaccessreviews`, {
    nonResourceAttributes: { path: "/healthz", verb: "get" },
  }),
  review("authorization.k8s.io", "LocalSubjectAccessReview", `${authorization}/namespaces/${namespace}/localsubjectaccessreviews`, {
    ...attributes,
    user: "u",
  }),
  {
    path: `/api/v1/namespaces/${namespace}/pods/small/eviction`,
    body: {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "small", namespace },
      deleteOptions: { gracePeriodSeconds: 0, preconditions: {} },
    },
  },
  {
    path: `/api/v1/namespaces/${namespace}/pods/small/binding`,
    body: { apiVersion: "v1", kind: "Binding", metadata: { name: "small", namespace }, target: { kind: "Node", name: "rich" } },
  },
]
