import type { TransportResponse } from "@pilothouse/seams"
import { answer } from "../answer.ts"
import type { Call } from "../call.ts"
import type { Identity } from "../identity.ts"
import { takeIn } from "../take-in.ts"

function userInfo({ name, uid, groups, extra }: Identity): unknown {
  return { username: name, ...(uid !== undefined && { uid }), groups, ...(extra && { extra }) }
}

/** Who am I? */
export async function selfReview(call: Call): Promise<TransportResponse> {
  return answer(call, { ...takeIn(call), status: { userInfo: userInfo(call.identity) } }, 201)
}

/** Whose token is this? */
export async function tokenReview(call: Call): Promise<TransportResponse> {
  const review = takeIn(call) as ReturnType<typeof takeIn> & { spec?: { token?: string; audiences?: readonly string[] } }
  const { token = "", audiences } = review.spec ?? {}
  const account = call.server.serviceAccountTokens?.verify(token, audiences)
  const who = account?.identity ?? call.server.tokenReview?.(token)
  if (who === undefined) return answer(call, { ...review, status: { user: {}, error: "[invalid bearer token]" } }, 201)
  const status = { authenticated: true, user: userInfo(who), ...(account && { audiences: account.audiences }) }
  return answer(call, { ...review, status }, 201)
}
