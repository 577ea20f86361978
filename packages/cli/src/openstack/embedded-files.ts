import type { Files } from "@pilothouse/seams"
import type { EmbeddedCloud } from "./embedded-cloud.ts"

/** Where `up --openstack` leaves the kuryr.conf of a cloud that was started in this directory. */
export const localConf = ".pilothouse/kuryr.conf"

/**
 * Writes the files by which other programs find the cloud into the data directory. They have passwords: no other user may read them.
 * Disposing takes them away: they would lead nowhere once the cloud has stopped.
 */
export function writeCloudFiles(
  files: Files,
  directory: string,
  { kuryrConf, cloudsYaml }: Pick<EmbeddedCloud, "kuryrConf" | "cloudsYaml">,
): Disposable {
  const texts = { "kuryr.conf": kuryrConf, "clouds.yaml": cloudsYaml }
  for (const [name, text] of Object.entries(texts)) files.write(`${directory}/${name}`, text, { mode: 0o600 })
  return {
    [Symbol.dispose]() {
      for (const name of Object.keys(texts)) files.remove(`${directory}/${name}`)
    },
  }
}

/** Returns the lines of `up --openstack` about what runs beside the cluster, and what to try with it. */
export function openStackLines(authUrl: string, directory: string): { readonly runs: readonly string[]; readonly next: readonly string[] } {
  const conf = `${directory}/kuryr.conf`
  // No program searches for it elsewhere.
  const where = conf === localConf ? "" : ` --config-file ${shellWord(conf)}`
  return {
    runs: [
      "  cloud  Keystone, Neutron and Octavia in this process; the handlers vif, lbaasspec, lb and the sweep of orphans",
      `         ${authUrl}; ${conf} and ${directory}/clouds.yaml lead there; all of it, objects too, in memory only`,
    ],
    next: [
      "  kubectl apply -f examples/openstack.yaml",
      "  kubectl get pods -o wide -w",
      "  kubectl get service web",
      "  npx @pilothouse/cli explain service/web",
      `  npx @pilothouse/cli openstack doctor${where}`,
      `  npx @pilothouse/cli openstack orphans${where}`,
    ],
  }
}

/** A path as a shell takes it for one word. */
function shellWord(path: string): string {
  return /^[\w./~+:@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
