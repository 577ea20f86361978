import type { Rule } from "../rule.ts"

/** What names one machine or one company's network, and so is wrong on every other. */
const patterns: Readonly<Record<string, RegExp>> = {
  "no registry host":
    /\b(?:registry\.(?:npmjs\.org|npmmirror\.com|yarnpkg\.com)|registry\.k8s\.io|proxy\.golang\.org|sum\.golang\.org|files\.pythonhosted\.org|pypi\.org)\b|https?:\/\/[\w.-]*(?:artifactory|nexus|verdaccio|goproxy)[\w.-]*/,
  // Placeholder names, as tests and manuals use them, are accepted.
  "no path of one machine":
    /(?<![\w.*-])\/(?:home|Users)\/(?!(?:u|user|you|me|jane)\b)[\w-]+|(?<![\w.*-])\/root\/\.?\w|(?<![\w.*/-])\/work\/(?:main|shared)\b|\b[A-Z]:\\Users\\\w/,
}

/** The tree builds and reads the same on any machine, behind any mirror. */
export const machineNames: Rule = {
  name: "machines",
  check({ texts }) {
    return texts.flatMap(({ path, text }) =>
      Object.entries(patterns).flatMap(([expected, pattern]) => {
        const match = pattern.exec(text)
        if (!match) return []
        const line = text.slice(0, match.index).split("\n").length
        return [{ file: path, line, expected, found: match[0], fix: "leave it to the settings of the user" }]
      }),
    )
  },
}
