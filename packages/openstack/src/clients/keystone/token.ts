import { PilothouseError } from "@pilothouse/seams"
import { type Answer, memberOf, textOf } from "../answer.ts"
import type { CatalogEntry, Token } from "./keystone.ts"

/** The token is in a header, everything about it in the body. */
export function tokenOf({ headers, value }: Answer): Token {
  const text = headers["x-subject-token"]
  const token = memberOf(value, "token")
  const expires = Date.parse(textOf(token, "expires_at"))
  if (text === undefined || Number.isNaN(expires)) {
    throw new PilothouseError(
      "PROTOCOL",
      "expected a token with its end from Keystone, found an answer without; is auth_url that of Keystone v3?",
    )
  }
  const project = memberOf(token, "project")
  const roles = memberOf(token, "roles")
  return {
    text,
    expires,
    ...(project === undefined ? {} : { project: named(project) }),
    user: named(memberOf(token, "user")),
    roles: Array.isArray(roles) ? roles.map((role) => textOf(role, "name")) : [],
    catalog: (memberOf(token, "catalog") ?? []) as readonly CatalogEntry[],
  }
}

function named(value: unknown): { readonly id: string; readonly name: string } {
  return { id: textOf(value, "id"), name: textOf(value, "name") }
}
