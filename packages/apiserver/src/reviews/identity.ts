import { badRequest, formatTime } from "@pilothouse/api"
import type { TransportResponse } from "@pilothouse/seams"
import type { Identity } from "../authentication/identity.ts"
import { decodeBody } from "../objects/decode-object.ts"
import { valueResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"
import { reviewToken } from "../tokens/review-token.ts"

function userInfo({ name, uid, groups, extra }: Identity): unknown {
  return { username: name, ...(uid !== undefined && { uid }), groups, ...(extra && { extra }) }
}

/** Serves SelfSubjectReview: the user of the request. */
export async function selfReview(call: Call): Promise<TransportResponse> {
  const { kind, apiVersion, metadata, ...review } = decodeBody(call)
  const made = { ...metadata, creationTimestamp: formatTime(call.server.clock.now()) }
  return valueResponse(call, { kind, apiVersion, metadata: made, ...review, status: { userInfo: userInfo(call.identity) } }, 201)
}

/** Answers whose token it is, or why it is not good. */
export async function tokenReview(call: Call): Promise<TransportResponse> {
  const review = decodeBody(call) as ReturnType<typeof decodeBody> & { spec?: { token?: string; audiences?: readonly string[] } }
  const { token = "", audiences } = review.spec ?? {}
  if (token === "") throw badRequest("token is required for TokenReview in authentication")
  const known = await reviewToken(call.server, token, (audiences ?? []).length === 0 ? undefined : audiences)
  if (known === undefined || "refused" in known) {
    const error = known === undefined ? "invalid bearer token" : `[invalid bearer token, ${known.refused}]`
    return valueResponse(call, { ...review, status: { user: {}, error } }, 201)
  }
  const status = { authenticated: true, user: userInfo(known.identity), ...(known.audiences.length > 0 && { audiences: known.audiences }) }
  return valueResponse(call, { ...review, status }, 201)
}
