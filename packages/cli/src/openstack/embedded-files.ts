import type { Files } from "@pilothouse/seams"
import type { EmbeddedCloud } from "./embedded-cloud.ts"

/** What leads other programs to the cloud, in the data directory. With passwords: nobody else may read them. */
export function writeCloudFiles(
  files: Files,
  directory: string,
  { kuryrConf, cloudsYaml }: Pick<EmbeddedCloud, "kuryrConf" | "cloudsYaml">,
) {
  files.write(`${directory}/kuryr.conf`, kuryrConf, { mode: 0o600 })
  files.write(`${directory}/clouds.yaml`, cloudsYaml, { mode: 0o600 })
}

/** What `up --openstack` says runs beside the cluster, and what to try with it. */
export function openStackLines(authUrl: string, directory: string): { readonly runs: readonly string[]; readonly next: readonly string[] } {
  return {
    runs: [
      "  cloud  Keystone, Neutron and Octavia in this process; the handlers vif, lbaasspec, lb and the sweep of orphans",
      `         ${authUrl}; ${directory}/kuryr.conf and ${directory}/clouds.yaml lead there; all of it, objects too, in memory only`,
    ],
    next: [
      "  kubectl apply -f examples/openstack.yaml",
      "  kubectl get pods -o wide -w",
      "  kubectl get service web",
      "  npx pilothouse explain service/web",
      "  npx pilothouse openstack doctor",
      "  npx pilothouse openstack orphans",
    ],
  }
}
