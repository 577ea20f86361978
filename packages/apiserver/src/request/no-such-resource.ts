import { badRequest, StatusError } from "@pilothouse/api"

/** Returns the error for a path of a known group version that names no resource. */
export function noSuchResource(): StatusError {
  const { code: _code, ...status } = badRequest("the server could not find the requested resource").status
  return new StatusError({ ...status, reason: "NotFound", details: {}, code: 404 })
}
