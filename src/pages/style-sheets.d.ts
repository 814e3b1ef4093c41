/** Style sheets imported by a page's script. The bundler writes them to separate files. */
declare module '*.css';
