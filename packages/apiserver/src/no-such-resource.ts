import { badRequest, StatusError } from "@pilothouse/api"

/** What a path of a known group version gets that leads to no resource. */
export function noSuchResource(): StatusError {
  const { status } = badRequest("the server could not find the requested resource")
  return new StatusError({ ...status, reason: "NotFound", details: {}, code: 404 })
}
