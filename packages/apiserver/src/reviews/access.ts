import type { TransportResponse } from "@pilothouse/seams"
import { answer } from "../answer.ts"
import type { Call } from "../call.ts"
import { takeIn } from "../take-in.ts"

const everything = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] }

/** May somebody do something? Whoever is known may do everything, until there are rules. */
export async function accessReview(call: Call): Promise<TransportResponse> {
  return answer(call, { ...takeIn(call), status: { allowed: true } }, 201)
}

/** What may I do? */
export async function rulesReview(call: Call): Promise<TransportResponse> {
  const status = {
    resourceRules: [everything],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
    incomplete: false,
  }
  return answer(call, { ...takeIn(call), status }, 201)
}
