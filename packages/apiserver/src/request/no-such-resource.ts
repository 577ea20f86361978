import { badRequest, StatusError } from "@pilothouse/api"

/** What a path of a known group version gets that leads to no resource. */
export function noSuchResource(): StatusError {
  const { code: _code, ...status } = badRequest("the server could not find the requested resource").status
  return new StatusError({ ...status, reason: "NotFound", details: {}, code: 404 })
}
