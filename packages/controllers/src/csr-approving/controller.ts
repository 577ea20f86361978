import { type SubjectAccessReview, subjectAccessReviews } from "@pilothouse/api/authorization/v1"
import { type CertificateSigningRequest, certificateSigningRequests } from "@pilothouse/api/certificates/v1"
import { type Controller, controller, type Plan, plan, type Reader } from "@pilothouse/runtime"
import { kubeletClientFault, signerNames } from "../certificates/kubelet-request.ts"
import { hasCondition, isIssued, requestBackoff, requestIn } from "../certificates/signing-request.ts"
import { descriptor } from "../shared/descriptor.ts"

/**
 * Approves the requests of kubelets for client certificates, so that nodes can join and renew by themselves: a request for the requester's own node
 * needs the right to create certificatesigningrequests/selfnodeclient, one for another node .../nodeclient; the API server is asked for both.
 * Never denies. Where the right is missing it asks again after a while, since bindings may change.
 */
export function csrApprovingController(): Controller {
  return controller("certificatesigningrequest-approving-controller", {
    for: certificateSigningRequests,
    predicate: ({ type }) => type !== "deleted",
    backoff: requestBackoff,
    observe,
    decide: (observed, { now }) => decide(observed, now),
  })
}

const rights = {
  selfnodeclient: "Auto approving self kubelet client certificate after SubjectAccessReview.",
  nodeclient: "Auto approving kubelet client certificate after SubjectAccessReview.",
} as const

type Right = keyof typeof rights

export interface Observed {
  readonly request: CertificateSigningRequest
  /** The rights that were asked for, in their order; empty for a request that is none of a kubelet. */
  readonly tried: readonly Right[]
  readonly granted?: Right
  /** What is wrong with the request itself. */
  readonly fault?: string
}

async function observe(key: string, read: Reader): Promise<Observed | undefined> {
  const request = read.get(certificateSigningRequests, key)
  if (request === undefined) return undefined
  if (isIssued(request) || hasCondition(request, "Approved") || hasCondition(request, "Denied")) return { request, tried: [] }
  const recognized = recognize(request)
  if (typeof recognized === "string") return { request, tried: [], fault: recognized }
  const tried: Right[] = []
  for (const right of recognized) {
    tried.push(right)
    const { status } = await read.review(subjectAccessReviews, reviewOf(request, right))
    if (status?.allowed === true) return { request, tried, granted: right }
  }
  return { request, tried }
}

/** Returns the rights of which one allows the approval, or what is wrong with the request. */
export function recognize(request: CertificateSigningRequest): readonly Right[] | string {
  const parsed = requestIn(request)
  if (typeof parsed === "string") return parsed
  const { signerName, usages = [], username } = request.spec
  if (signerName !== signerNames.kubeletClient || kubeletClientFault(parsed, usages) !== undefined) return []
  return username === parsed.subject.commonName ? ["selfnodeclient", "nodeclient"] : ["nodeclient"]
}

function reviewOf({ spec }: CertificateSigningRequest, subresource: Right): SubjectAccessReview {
  const { username: user, uid, groups, extra } = spec
  const resourceAttributes = {
    group: "certificates.k8s.io",
    version: "*",
    resource: "certificatesigningrequests",
    subresource,
    verb: "create",
  }
  return {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    metadata: {},
    spec: { user, ...(uid && { uid }), ...(groups && { groups }), ...(extra && { extra }), resourceAttributes },
  }
}

const [shortestWait, longestWait] = [1000, 1_000_000]

/** Approves by the right that was granted. A refusal is asked for again after as long as the request has waited already, up to 1000 s. */
export function decide({ request, tried, granted, fault }: Observed, now: number): Plan {
  if (fault !== undefined) return plan().nothing(fault, { stuck: true })
  if (granted !== undefined) return approve(request, rights[granted])
  if (tried.length === 0) return plan().nothing("it is decided, or no request of a kubelet for a client certificate")
  const age = now - Date.parse(request.metadata.creationTimestamp ?? "")
  const wait = Math.min(longestWait, Math.max(shortestWait, Number.isNaN(age) ? 0 : age))
  const refused = `recognized csr "${request.metadata.name}" as [${tried.join(" ")}] but subject access review was not approved`
  return plan().requeueAfter(wait, "the rights of its requester may change").nothing(refused)
}

function approve(request: CertificateSigningRequest, message: string): Plan {
  const conditions = [...(request.status?.conditions ?? []), { type: "Approved", status: "True", reason: "AutoApproved", message }]
  const object: CertificateSigningRequest = { ...request, status: { ...request.status, conditions } }
  return plan().operation({ do: "update", object, subresource: "approval", reason: message })
}

export const csrApprovingDescriptor = descriptor({
  name: "certificatesigningrequest-approving-controller",
  aliases: ["csrapproving"],
  create: () => csrApprovingController(),
})
