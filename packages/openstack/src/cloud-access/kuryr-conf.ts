import { PilothouseError } from "@pilothouse/seams"
import type { CloudAccess } from "../clients/calls/keystone.ts"
import type { Sections } from "../configuration/ini.ts"
import { cloudOptions } from "../configuration/login-options.ts"
import { toCloudAccess } from "./cloud-access.ts"
import { endpointOverrides } from "./environment.ts"

/** The cloud that the section [neutron] of a kuryr.conf leads to, with keystoneauth's names. Undefined where it does not say where to log in. */
export function cloudOfKuryrConf({ neutron = {} }: Sections): CloudAccess | undefined {
  if (!neutron.auth_url) return undefined
  const auth = Object.entries(neutron).filter(([name]) => !cloudOptions.includes(name) && !name.endsWith("_endpoint_override"))
  return toCloudAccess({
    auth: Object.fromEntries(auth),
    auth_type: neutron.auth_type ?? neutron.auth_plugin,
    region_name: neutron.region_name,
    interface: neutron.endpoint_type ?? neutron.valid_interfaces?.split(",")[0]?.trim(),
    cacert: neutron.cafile,
    ...(/^(true|1|yes|on)$/i.test(neutron.insecure ?? "") ? { verify: false } : {}),
    endpoints: endpointOverrides(neutron),
    from: "[neutron] of kuryr.conf",
  })
}

/**
 * The API server that the section [kubernetes] of a kuryr.conf leads to, as a kubeconfig. Undefined where it does not say: kuryr's own default,
 * http://localhost:8080, has no API server any more.
 */
export function clusterOfKuryrConf({ kubernetes = {} }: Sections): unknown {
  const server = kubernetes.api_root?.trim()
  if (!server) return undefined
  const { ssl_ca_crt_file: authority, ssl_client_crt_file: certificate, ssl_client_key_file: key, token_file: token } = kubernetes
  if (Boolean(certificate) !== Boolean(key)) {
    throw new PilothouseError(
      "INVALID",
      "[kubernetes]: expected both ssl_client_crt_file and ssl_client_key_file, or neither, found one; set the other",
    )
  }
  // kuryr verifies no certificate by default; here only an explicit option turns verification off.
  const unchecked = /^(false|0|no|off)$/i.test(kubernetes.ssl_verify_server_crt?.trim() ?? "")
  const trust = unchecked ? { "insecure-skip-tls-verify": true } : authority ? { "certificate-authority": authority } : {}
  const user = {
    ...(token && { tokenFile: token }),
    ...(certificate && { "client-certificate": certificate, "client-key": key }),
  }
  const name = "kuryr.conf"
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster: { server, ...trust } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  }
}
