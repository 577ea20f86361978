/** A command of the README's tour and what it shows. */
export interface TourStep {
  readonly command: string
  readonly output: string
}

/** The steps of every ```console block: a line that begins with "$ " is a command, the lines after it are its output. */
export function tourSteps(readme: string): readonly TourStep[] {
  const blocks = [...readme.matchAll(/```console\n([\s\S]*?)```/g)].map((match) => match[1] ?? "")
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = "", ...output] = part.split("\n")
        return { command, output: output.join("\n").trim() }
      }),
  )
}

/** What differs from run to run, replaced: ages, times, hashes, generated names, ports, paths, and the width of columns. */
export function comparable(text: string): string {
  return (
    text
      .replace(/KUBECONFIG=\S+/g, "KUBECONFIG=<path>")
      .replace(/127\.0\.0\.1:\d+( \((6443|15010) is taken\))?/g, "127.0.0.1:<port>")
      .replace(
        /\b(web|hello)-[bcdfghjklmnpqrstvwxz2456789]{5,10}(-[bcdfghjklmnpqrstvwxz2456789]{5})?\b/g,
        (_all, name, pod) => `${name}-<hash>${pod ? "-<id>" : ""}`,
      )
      .replace(/\b(\d+ ?ms|\d+(\.\d+)?s|\d+m\d+s|\d+m)\b/g, "<time>")
      .replace(/\b10\.244\.\d+\.\d+\b/g, "<address>")
      .replace(/\b(127\.(1[2-9]\d|2\d\d)|10\.(9[6-9]|10\d|11[01]))\.\d+\.\d+\b/g, "<address>")
      .replace(/:3[0-2]\d{3}\/TCP/g, ":<port>/TCP")
      // What npm thinks of the settings of a machine is not the program's.
      .replace(/^npm (warn|notice) .*$/gm, "")
      // How often it had to wait depends on the machine.
      .replace(/^Waiting for deployment .*$/gm, "")
      .split("\n")
      .map((line) => line.trim().replace(/ {2,}/g, "  "))
      .filter((line) => line !== "")
      .join("\n")
  )
}
