import type { CloudProvider } from "@pilothouse/cloud"
import { cloudOfCloudConf, openStack, openStackProvider, readCloudConf } from "@pilothouse/openstack"
import { type Clock, PilothouseError, readText } from "@pilothouse/seams"
import type { OwnSettings } from "../run/flags/flags.ts"
import { accessFor, type CloudPlace } from "./cloud-settings.ts"
import { httpConnect } from "./http-connect.ts"

export interface MadeProvider extends AsyncDisposable {
  readonly provider: (clusterName: string) => CloudProvider
}

/** --cloud-provider openstack: Services of type LoadBalancer as load balancers of Octavia, to node ports; nodes as servers of Nova; routes of a router. */
export function octaviaProvider(own: OwnSettings, place: CloudPlace, { clock }: { readonly clock: Clock }): MadeProvider {
  const path = own["cloud-config"]
  const text = path === "" ? "" : readText(place.files, path)
  if (text === undefined) throw new PilothouseError("USAGE", `--cloud-config: expected a cloud.conf at ${path}, found no such file`)
  const settings = readCloudConf(text, path)
  // A cloud that is named on the command line wins, then the file's own, then clouds.yaml and OS_*.
  const named = own["os-cloud"] === "" ? cloudOfCloudConf(text, path) : {}
  const access = named.access ?? accessFor({ configFile: "", cloud: named.cloud ?? own["os-cloud"] }, place, {})
  const http = httpConnect(access, { clock, files: place.files, readOnly: own["dry-run"] })
  const cloud = openStack({ access, connect: http.connect, clock })
  return {
    provider: (clusterName) => openStackProvider({ cloud, clusterName, settings }),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}
