import { PilothouseError } from "@pilothouse/seams"
import { type Answer, readMember, readText } from "../answer.ts"
import type { CatalogEntry, Token } from "./keystone.ts"

/** The token is in a header, everything about it in the body. */
export function parseToken({ headers, value }: Answer): Token {
  const text = headers["x-subject-token"]
  const token = readMember(value, "token")
  const expires = Date.parse(readText(token, "expires_at"))
  if (text === undefined || Number.isNaN(expires)) {
    throw new PilothouseError(
      "PROTOCOL",
      "expected a token with its end from Keystone, found an answer without; is auth_url that of Keystone v3?",
    )
  }
  const project = readMember(token, "project")
  const roles = readMember(token, "roles")
  return {
    text,
    expires,
    ...(project === undefined ? {} : { project: named(project) }),
    user: named(readMember(token, "user")),
    roles: Array.isArray(roles) ? roles.map((role) => readText(role, "name")) : [],
    catalog: (readMember(token, "catalog") ?? []) as readonly CatalogEntry[],
  }
}

function named(value: unknown): { readonly id: string; readonly name: string } {
  return { id: readText(value, "id"), name: readText(value, "name") }
}
