import { PilothouseError } from "@pilothouse/seams"
import type { CloudAccess } from "../clients/calls/keystone.ts"
import { parseIni } from "../configuration/ini.ts"
import { toCloudAccess } from "./cloud-access.ts"

/** Where the section [Global] of a cloud.conf leads: to a cloud, or to a name in clouds.yaml; neither where it says nothing. */
export interface GlobalCloud {
  readonly access?: CloudAccess
  readonly cloud?: string
}

/** Options of [Global] by keystoneauth's names: "tenant" is an older word for a project. */
const names: Readonly<Record<string, string>> = {
  "auth-url": "auth_url",
  username: "username",
  "user-id": "user_id",
  password: "password",
  "tenant-id": "project_id",
  "tenant-name": "project_name",
  "domain-id": "domain_id",
  "domain-name": "domain_name",
  "user-domain-id": "user_domain_id",
  "user-domain-name": "user_domain_name",
  "tenant-domain-id": "project_domain_id",
  "tenant-domain-name": "project_domain_name",
  "application-credential-id": "application_credential_id",
  "application-credential-name": "application_credential_name",
  "application-credential-secret": "application_credential_secret",
}

/** What cannot be honoured here: a login without it would be another one than the file says. */
const refused: Readonly<Record<string, string>> = {
  "trust-id": "use an application credential",
  "cert-file": "client certificates for Keystone are not supported",
  "clouds-file": "name the file in OS_CLIENT_CONFIG_FILE",
}

/** Reads the credentials of cloud-provider-openstack's configuration. With use-clouds = true clouds.yaml has them. */
export function cloudOfCloudConf(text: string, file = "cloud.conf"): GlobalCloud {
  const { Global: values = {} } = parseIni(text, file)
  const value = (name: string) => unquoted(values[name])
  const wrong = Object.entries(refused).find(([name]) => value(name))
  if (wrong !== undefined) throw new PilothouseError("USAGE", `expected [Global] of ${file} without ${wrong[0]}, found it; ${wrong[1]}`)
  const cloud = value("cloud")
  if (isTrue(value("use-clouds"))) return cloud ? { cloud } : {}
  if (!value("auth-url")) return {}
  const auth = Object.entries(names).flatMap(([name, ours]) => (value(name) ? [[ours, value(name)]] : []))
  const access = toCloudAccess({
    auth: Object.fromEntries(auth),
    region_name: value("region"),
    interface: value("os-endpoint-type"),
    cacert: value("ca-file"),
    ...(isTrue(value("tls-insecure")) ? { verify: false } : {}),
    endpoints: {},
    from: `[Global] of ${file}`,
  })
  return { access }
}

function unquoted(text: string | undefined): string | undefined {
  const isQuoted = text !== undefined && text.length > 1 && /^["']/.test(text) && text.at(-1) === text[0]
  return isQuoted ? text.slice(1, -1) : text
}

function isTrue(text = ""): boolean {
  return /^(true|1|yes|on)$/i.test(text)
}
