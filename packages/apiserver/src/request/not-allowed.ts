import { badRequest, StatusError } from "@pilothouse/api"

/** Returns the 405 in the words of upstream's router, which does not know the resource. */
export function notAllowed(): StatusError {
  const { status } = badRequest("the server does not allow this method on the requested resource")
  return new StatusError({ ...status, reason: "MethodNotAllowed", details: {}, code: 405 })
}
