import type { ObjectIndex } from "../../registry/object-indexes.ts"
import type { RequestMatcher } from "../matching/match-request.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import { policyIndexes } from "../policy/policy-index.ts"
import { webhookIndexes } from "../webhook/webhook-index.ts"

const types = ["mutating", "validating"] as const
type PolicyIndex = ObjectIndex<readonly { readonly matches: RequestMatcher }[]>

/** Whether a webhook or a policy may change or refuse a write of an object of the whole cluster, which the server could else do without a request. */
export function isDecidedByClients(attributes: AdmissionAttributes): boolean {
  const { indexes } = attributes.server
  const concerns = ({ matches }: { readonly matches: RequestMatcher }) => matches(attributes) !== undefined
  return types.some(
    (type) => indexes.get(webhookIndexes[type]).some(concerns) || indexes.get(policyIndexes[type] as PolicyIndex).some(concerns),
  )
}
