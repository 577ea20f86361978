import type { CloudAccess } from "../clients/keystone/keystone.ts"
import type { Sections } from "../configuration/ini.ts"
import { toCloudAccess } from "./access-of.ts"
import { endpointOverrides } from "./environment.ts"
import { cloudOptions } from "./login-options.ts"

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
