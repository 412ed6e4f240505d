/** The bundler takes it into the page's style. */
declare module "*.css" {}
