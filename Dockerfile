# The pilothouse command in an image, from the sources: there is no build step, Node strips the types.
FROM node:24-slim
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages packages
# Node is there already: the packages that bring one are left out, and so is what only tests need.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force
USER 1000
EXPOSE 10257
ENTRYPOINT ["node", "packages/cli/bin/pilothouse.js"]
CMD ["run"]
