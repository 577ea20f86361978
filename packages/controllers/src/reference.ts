import { formatDuration } from "@pilothouse/seams"
import { controllerMetricFamilies } from "./controller-metrics.ts"
import { controllers } from "./controllers.ts"
import type { KubeControllerDescriptor } from "./descriptor.ts"
import type { Flag } from "./flag.ts"

/** Returns the page docs/reference/controllers.md: every controller, its names and its flags, from the table that starts them. */
export function controllersReference(): string {
  const rows = controllers.map(({ name, aliases, onByDefault, needs }) => {
    const cells = [code(name), aliases.map(code).join(", "), onByDefault ? "yes" : "no", needs.map(code).join(", ")]
    return `| ${cells.join(" | ")} |`
  })
  const flags = controllers.flatMap((entry) => Object.entries(entry.flags).map(([name, flag]) => flagRow(entry, name, flag)))
  return [
    "# The controllers and their flags",
    "",
    "Names, aliases and flags are those of kube-controller-manager: `pilothouse run --controllers=*,-job --concurrent-deployment-syncs=10`. In a test: `cluster({ controllers, settings })`. `npm run reference` writes this page, and a test keeps it equal to the table in packages/controllers.",
    "",
    "| controller | aliases | on by default | needs |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
    "| flag | default | of | what it does |",
    "| --- | --- | --- | --- |",
    ...flags,
    "",
    "## Metrics",
    "",
    "The metrics of single controllers; [metrics.md](metrics.md) lists those of every controller. Names and labels are those of kube-controller-manager 1.36.",
    "",
    "| metric | type | labels | meaning |",
    "| --- | --- | --- | --- |",
    ...controllerMetricFamilies.map(({ name, type, labels, help }) => `| ${code(name)} | ${type} | ${labels.join(", ")} | ${help} |`),
    "",
  ].join("\n")
}

function flagRow(entry: KubeControllerDescriptor, name: string, { kind, default: fallback, about }: Flag): string {
  const shown = kind === "duration" ? formatDuration(Number(fallback)) : JSON.stringify(fallback)
  return `| ${code(`--${name}`)} | ${code(shown)} | ${entry.name} | ${about} |`
}

function code(text: string): string {
  return `\`${text}\``
}
