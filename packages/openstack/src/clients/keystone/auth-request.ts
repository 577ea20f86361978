import type { OpenStackCredentials, ProjectScope } from "./keystone.ts"

/** The body of POST /v3/auth/tokens. */
export function authRequest(credentials: OpenStackCredentials): unknown {
  return { auth: { identity: identityPart(credentials), ...scopePart(credentials) } }
}

function identityPart(credentials: OpenStackCredentials): unknown {
  switch (credentials.type) {
    case "password":
      return { methods: ["password"], password: { user: { ...credentials.user, password: credentials.password } } }
    case "token":
      return { methods: ["token"], token: { id: credentials.token } }
    case "application-credential": {
      const { id, name, user, secret } = credentials
      const who = id === undefined ? { name, user } : { id }
      return { methods: ["application_credential"], application_credential: { ...who, secret } }
    }
  }
}

/** An application credential belongs to a project already, and Keystone refuses a scope beside it. */
function scopePart(credentials: OpenStackCredentials): { readonly scope?: { readonly project: ProjectScope } } {
  if (credentials.type === "application-credential" || credentials.project === undefined) return {}
  const { id, name, domain } = credentials.project
  return { scope: { project: id === undefined ? { name, domain } : { id } } }
}
