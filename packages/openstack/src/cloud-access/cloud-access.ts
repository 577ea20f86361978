import { PilothouseError } from "@pilothouse/seams"
import type { CloudAccess, DomainRef, OpenStackCredentials, ProjectScope } from "../clients/calls/keystone.ts"
import type { CloudSettings } from "./settings.ts"

type Auth = CloudSettings["auth"]

/** Reads the settings as openstacksdk does. Everything that is missing is named at once. */
export function toCloudAccess(settings: CloudSettings): CloudAccess {
  const { auth, from } = settings
  const credentials = toCredentials(settings)
  const missing = [...(auth.auth_url ? [] : ["auth_url"]), ...missingCredentials(credentials)]
  if (missing.length > 0) {
    throw new PilothouseError(
      "CREDENTIALS",
      `expected ${missing.join(", ")} in ${from}, found nothing; an openrc or clouds.yaml of your cloud has them`,
    )
  }
  checkAddresses(settings)
  return {
    authUrl: auth.auth_url ?? "",
    credentials,
    endpoints: settings.endpoints,
    ...(settings.region_name ? { region: settings.region_name } : {}),
    ...(settings.interface ? { interface: toInterface(settings) } : {}),
    ...(settings.verify === undefined ? {} : { verify: settings.verify }),
    ...(settings.cacert ? { caFile: settings.cacert } : {}),
  }
}

/** The types of the services that are used here: settings of other services in a clouds.yaml are ignored. */
const usedServices: readonly string[] = ["network", "load-balancer"]

/** An invalid address would fail much later, without naming the file that has it. */
function checkAddresses({ auth, endpoints, from }: CloudSettings): void {
  const overrides = Object.entries(endpoints)
    .filter(([type]) => usedServices.includes(type))
    .map(([type, url]) => [`${type.replaceAll("-", "_")}_endpoint_override`, url] as const)
  for (const [name, url] of [["auth_url", auth.auth_url ?? ""] as const, ...overrides]) {
    if (/^https?:\/\//i.test(url) && URL.canParse(url)) continue
    throw new PilothouseError("CREDENTIALS", `expected an address such as http://10.0.0.1:5000/v3 as ${name} in ${from}, found "${url}"`)
  }
}

function toCredentials({ auth, auth_type, from }: CloudSettings): OpenStackCredentials {
  switch (auth_type || guessedType(auth)) {
    case "password":
    case "v3password":
      return { type: "password", user: toUser(auth), password: auth.password ?? "", ...projectPart(auth) }
    case "token":
    case "v3token":
      return { type: "token", token: auth.token ?? "", ...projectPart(auth) }
    case "v3applicationcredential":
      return applicationCredential(auth)
    default:
      throw new PilothouseError(
        "CREDENTIALS",
        `expected password, v3password, token, v3token or v3applicationcredential as auth_type in ${from}, found ${auth_type}`,
      )
  }
}

/** As openstacksdk: a token wins over the password that it was made with. */
function guessedType(auth: Auth): string {
  if (auth.application_credential_id || auth.application_credential_name) return "v3applicationcredential"
  return auth.token ? "token" : "password"
}

function applicationCredential(auth: Auth): OpenStackCredentials {
  const secret = auth.application_credential_secret ?? ""
  if (auth.application_credential_id) return { type: "application-credential", id: auth.application_credential_id, secret }
  return { type: "application-credential", name: auth.application_credential_name ?? "", user: toUser(auth), secret }
}

function toUser(auth: Auth): { id?: string; name?: string; domain?: DomainRef } {
  if (auth.user_id) return { id: auth.user_id }
  return { name: auth.username ?? auth.user_name ?? "", domain: toDomain(auth, "user") }
}

function projectPart(auth: Auth): { readonly project?: ProjectScope } {
  const id = auth.project_id || auth.tenant_id
  if (id) return { project: { id } }
  const name = auth.project_name || auth.tenant_name
  return name ? { project: { name, domain: toDomain(auth, "project") } } : {}
}

/** user_domain_name, or the id, or the setting for both; "default" where there is none. */
function toDomain(auth: Auth, of: "user" | "project"): DomainRef {
  const id = auth[`${of}_domain_id`] || auth.default_domain_id || auth.domain_id
  if (id) return { id }
  const name = auth[`${of}_domain_name`] || auth.default_domain_name || auth.domain_name
  return name ? { name } : { id: "default" }
}

function missingCredentials(credentials: OpenStackCredentials): readonly string[] {
  switch (credentials.type) {
    case "password":
      return absent({ "username (or user_id)": credentials.user.id || credentials.user.name, password: credentials.password })
    case "token":
      return absent({ token: credentials.token })
    case "application-credential":
      return absent({ application_credential_id: credentials.id || credentials.name, application_credential_secret: credentials.secret })
  }
}

function absent(values: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(values).filter((name) => !values[name])
}

/** Written with "URL" behind it by some: "publicURL". */
function toInterface({ interface: found, from }: CloudSettings): "public" | "internal" | "admin" {
  const name = (found ?? "").replace(/URL$/i, "")
  if (name === "public" || name === "internal" || name === "admin") return name
  throw new PilothouseError("CREDENTIALS", `expected public, internal or admin as interface in ${from}, found ${found}`)
}
